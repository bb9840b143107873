package contract

func differences(section string, here, there []Key) []Difference { return nil }
