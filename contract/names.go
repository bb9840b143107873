package contract

import "strconv"

// The spellings of the enums in the contract file, by value.
var (
	actorNames       = []string{"server", "owner", "all"}
	targetNames      = []string{"none", "owned_entity", "entity"}
	policyNames      = []string{"despawn", "return_to_server", "transfer_by_game_policy"}
	visibilityNames  = []string{"all", "owner", "server", "owner_and_server"}
	fieldTypeNames   = []string{"bool", "int", "float", "angle", "vec2", "vec3", "quat", "color"}
	interpolateNames = []string{"linear", "angle", "nlerp", "snap"}
	predictNames     = []string{"none", "check", "restore"}
)

// String returns the contract file's spelling.
func (a Actor) String() string { return spelling(actorNames, int(a)) }

// String returns the contract file's spelling.
func (t Target) String() string { return spelling(targetNames, int(t)) }

// String returns the contract file's spelling.
func (p Policy) String() string { return spelling(policyNames, int(p)) }

// String returns the contract file's spelling.
func (v Visibility) String() string { return spelling(visibilityNames, int(v)) }

// String returns the contract file's spelling.
func (t FieldType) String() string { return spelling(fieldTypeNames, int(t)) }

// String returns the contract file's spelling.
func (i Interpolation) String() string { return spelling(interpolateNames, int(i)) }

// String returns the contract file's spelling.
func (p Prediction) String() string { return spelling(predictNames, int(p)) }

func spelling(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return "unknown(" + strconv.Itoa(i) + ")"
}

// valueOf finds a spelling; what is not one, which the structure check has
// reported, reads as the zero value.
func valueOf[E ~uint8](names []string, s string) E {
	for i, n := range names {
		if n == s {
			return E(i)
		}
	}
	return 0
}
