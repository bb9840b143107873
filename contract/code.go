package contract

// Code is the stable name of a kind of problem. Codes are never renamed; those
// that the engine has too are spelled as there.
type Code string

// The engine's codes, for the same faults.
const (
	CodeInvalidJSON        Code = "NETWORK_CONTRACT_INVALID_JSON"
	CodeInvalidRoot        Code = "NETWORK_CONTRACT_INVALID_ROOT"
	CodeVersion            Code = "NETWORK_CONTRACT_VERSION_UNSUPPORTED"
	CodeInvalidID          Code = "NETWORK_CONTRACT_INVALID_ID"
	CodeInvalidLimits      Code = "NETWORK_CONTRACT_INVALID_LIMITS"
	CodeInvalidLimit       Code = "NETWORK_CONTRACT_INVALID_LIMIT"
	CodeInvalidPrefabs     Code = "NETWORK_CONTRACT_INVALID_PREFABS"
	CodeInvalidPrefab      Code = "NETWORK_CONTRACT_INVALID_PREFAB"
	CodeInvalidPrefabRef   Code = "NETWORK_CONTRACT_INVALID_PREFAB_REF"
	CodePrefabNotFound     Code = "NETWORK_CONTRACT_PREFAB_NOT_FOUND"
	CodeClientSpawn        Code = "NETWORK_CONTRACT_CLIENT_SPAWN_FORBIDDEN"
	CodeClientTransfer     Code = "NETWORK_CONTRACT_CLIENT_TRANSFER_FORBIDDEN"
	CodeInvalidPolicy      Code = "NETWORK_CONTRACT_INVALID_DISCONNECT_POLICY"
	CodeInvalidField       Code = "NETWORK_CONTRACT_INVALID_FIELD"
	CodeFieldNotReplicated Code = "NETWORK_CONTRACT_FIELD_NOT_REPLICATED"
	CodeInvalidActor       Code = "NETWORK_CONTRACT_INVALID_ACTOR"
	CodeInvalidReliability Code = "NETWORK_CONTRACT_INVALID_RELIABILITY"
	CodeInvalidVisibility  Code = "NETWORK_CONTRACT_INVALID_VISIBILITY"
	CodeInvalidMessages    Code = "NETWORK_CONTRACT_INVALID_MESSAGES"
	CodeInvalidMessage     Code = "NETWORK_CONTRACT_INVALID_MESSAGE"
	CodeInvalidTarget      Code = "NETWORK_CONTRACT_INVALID_TARGET"
	CodeSchemaNotFound     Code = "NETWORK_CONTRACT_SCHEMA_NOT_FOUND"
	CodeSchemaInvalid      Code = "NETWORK_CONTRACT_SCHEMA_INVALID"
	CodeAssetNotFound      Code = "NETWORK_CONTRACT_ASSET_NOT_FOUND"
)

// Ours, for what the engine does not look at.
const (
	CodeUnknownKey        Code = "NETWORK_CONTRACT_UNKNOWN_KEY"
	CodeWrongCaseKey      Code = "NETWORK_CONTRACT_WRONG_CASE_KEY"
	CodeDuplicateKey      Code = "NETWORK_CONTRACT_DUPLICATE_KEY"
	CodeUnusedSchema      Code = "NETWORK_CONTRACT_UNUSED_SCHEMA"
	CodeUnreachableRule   Code = "NETWORK_CONTRACT_UNREACHABLE_RULE"
	CodeReservedName      Code = "NETWORK_CONTRACT_RESERVED_NAME"
	CodeInvalidName       Code = "NETWORK_CONTRACT_INVALID_NAME"
	CodeConfusableName    Code = "NETWORK_CONTRACT_CONFUSABLE_NAME"
	CodeMissingStep       Code = "NETWORK_CONTRACT_MISSING_STEP"
	CodePredictRate       Code = "NETWORK_CONTRACT_PREDICT_RATE"
	CodeInvalidComponents Code = "NETWORK_CONTRACT_INVALID_COMPONENTS"
	CodeInvalidSimulation Code = "NETWORK_CONTRACT_INVALID_SIMULATION"
	CodeInvalidSession    Code = "NETWORK_CONTRACT_INVALID_SESSION"
	CodeInvalidLockstep   Code = "NETWORK_CONTRACT_INVALID_LOCKSTEP"
	CodeInvalidProject    Code = "NETWORK_CONTRACT_INVALID_PROJECT"
	CodeInvalidManifest   Code = "NETWORK_CONTRACT_INVALID_MANIFEST"
	CodeDuplicateAsset    Code = "NETWORK_CONTRACT_DUPLICATE_ASSET"
	CodeStaleHash         Code = "NETWORK_CONTRACT_STALE_HASH"
	CodeByteOrderMark     Code = "NETWORK_CONTRACT_BYTE_ORDER_MARK"
	CodeFileNotFound      Code = "NETWORK_CONTRACT_FILE_NOT_FOUND"
	CodeFileUnreadable    Code = "NETWORK_CONTRACT_FILE_UNREADABLE"
	CodeFileTooLarge      Code = "NETWORK_CONTRACT_FILE_TOO_LARGE"
)

// CodeEntry documents one code.
type CodeEntry struct {
	Code    Code
	Engine  bool // the engine has it too
	Warning bool // its problems are warnings
	Doc     string
}

// Codes returns every code in the order of the documentation.
func Codes() []CodeEntry { return append([]CodeEntry(nil), codeTable...) }

var codeTable = []CodeEntry{
	{CodeInvalidJSON, true, false, "The file is not JSON that can be read: a syntax error, invalid UTF-8, text after the end, a number that no double holds, too deep nesting, too long names."},
	{CodeInvalidRoot, true, false, "The document is not an object."},
	{CodeVersion, true, false, "`format_version` is missing or not 1."},
	{CodeInvalidID, true, false, "`id` is missing, does not start with `network-contract://`, is too long, or has characters that cannot be seen."},
	{CodeInvalidLimits, true, false, "`limits` is not an object."},
	{CodeInvalidLimit, true, false, "A limit, rate or size is not an integer in its range."},
	{CodeInvalidPrefabs, true, false, "`replicated_prefabs` is not an object."},
	{CodeInvalidPrefab, true, false, "A replicated prefab, its `ownership` or its `components` is not what the format says, or the prefab's file gives a field a value of another shape."},
	{CodeInvalidPrefabRef, true, false, "`prefab` is missing or does not start with `prefab://`."},
	{CodePrefabNotFound, true, false, "The project has no prefab with that id."},
	{CodeClientSpawn, true, false, "`spawn_by` is not `server`."},
	{CodeClientTransfer, true, false, "`transfer_by` is not `server`."},
	{CodeInvalidPolicy, true, false, "`on_disconnect` is not one of the three policies."},
	{CodeInvalidField, true, false, "A field rule has a key with a value that is not allowed, or a type that the field does not have elsewhere."},
	{CodeFieldNotReplicated, true, false, "The field is neither one of the built-in replicated fields nor declared."},
	{CodeInvalidActor, true, false, "`from`, `to`, `write_by` or `default` is not `server`, `owner` or `all`."},
	{CodeInvalidReliability, true, false, "`reliability` is not `reliable` or `unreliable`."},
	{CodeInvalidVisibility, true, false, "`visible_to` is not one of the four visibilities."},
	{CodeInvalidMessages, true, false, "`messages` is not an object."},
	{CodeInvalidMessage, true, false, "A message is not an object, or has a key with a value that is not allowed."},
	{CodeInvalidTarget, true, false, "`target` is not `none`, `owned_entity` or `entity`."},
	{CodeSchemaNotFound, true, false, "The project has no DataSchema asset with that id."},
	{CodeSchemaInvalid, true, false, "A payload schema is not valid, uses a keyword that is not supported, or is too complex."},
	{CodeAssetNotFound, true, false, "The project has no NetworkContract asset with that id, or names none."},
	{CodeUnknownKey, false, false, "An object has a key that the format does not know; the hint names the nearest one."},
	{CodeWrongCaseKey, false, false, "An object has a key that differs from a known one in upper and lower case only."},
	{CodeDuplicateKey, false, false, "An object has the same key twice."},
	{CodeUnusedSchema, false, true, "A DataSchema asset that no message, no command and no other asset uses."},
	{CodeUnreachableRule, false, true, "A rule can never take effect, or takes effect only in part."},
	{CodeReservedName, false, false, "A message has the name of one of the session's own events."},
	{CodeInvalidName, false, false, "A message, prefab, component, field, input or command has an empty, too long or unprintable name."},
	{CodeConfusableName, false, true, "Two names beside each other differ in upper and lower case only, or a name has a combining mark, so that the same word can be typed in other bytes."},
	{CodeMissingStep, false, false, "A field of type `float` has no `step`."},
	{CodePredictRate, false, false, "A field with `predict: check` has a `rate` below the tick rate."},
	{CodeInvalidComponents, false, false, "`components` is not what the format says."},
	{CodeInvalidSimulation, false, false, "`simulation` is not what the format says."},
	{CodeInvalidSession, false, false, "`session` is not what the format says."},
	{CodeInvalidLockstep, false, false, "`lockstep` is not what the format says."},
	{CodeInvalidProject, false, false, "`demi.project.json` is not what the format says."},
	{CodeInvalidManifest, false, false, "An asset manifest, or a prefab that the contract names, is not what the format says."},
	{CodeDuplicateAsset, false, false, "Two assets, or two prefabs, have the same id."},
	{CodeStaleHash, false, true, "A manifest's `source_hash` is not that of its file."},
	{CodeByteOrderMark, false, true, "The file starts with a byte order mark, which is skipped."},
	{CodeFileNotFound, false, false, "A file does not exist."},
	{CodeFileUnreadable, false, false, "A file is a folder, a pipe or a device, leads out of the project, or cannot be read."},
	{CodeFileTooLarge, false, false, "A file is larger than 4 MiB, or the project has too many files."},
}

// severity returns what problems of this code are.
func (c Code) severity() Severity {
	for i := range codeTable {
		if codeTable[i].Code == c && codeTable[i].Warning {
			return Warning
		}
	}
	return Error
}
