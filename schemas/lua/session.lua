---@meta demi.network.session

--- The session: who plays, what is said, who owns what. Every function returns
--- false or nil when the network or the contract refuses, with the reason in
--- diagnostics().last_error; only a wrong argument is a Lua error.
---@class demi.network.session
local Session = {}

---@class demi.SessionOptions
---@field send_interval? number seconds between two publications of an entity, 1/60
---@field port? integer of host() and connect(), 39420
---@field max_peers? integer
---@field hold_ready? boolean a client waits until ready() is called (not in the engine)
---@field certificate? string not available yet: host and connect then refuse
---@field private_key? string
---@field trusted_certificate? string
---@field server_name? string
---@field extrapolation_limit? number no effect yet, as all that follow
---@field initial_prediction? number
---@field interpolation_delay? number
---@field input_head_of_line_timeout? number
---@field prediction_visual_decay? number
---@field snapshot_buffer? integer
---@field input_queue_capacity? integer
---@field input_future_window? integer
---@field input_max_per_tick? integer
---@field prediction_history_limit? integer
---@field query_history_capacity? integer
---@field query_history_max_entities? integer
---@field query_history_rewind_ticks? integer
---@field remote_prefab? table

---@class demi.SessionEvent
---@field name string a message of the contract, or entity_spawned, entity_despawned, ownership_changed, peer_joined, peer_left
---@field sender_id string who sent it: "server" or "peerN", taken from the connection
---@field target? string network id of the entity it is about
---@field data any the validated payload, or the details of the news

---@class demi.SessionUpdate
---@field connected boolean a client: the session is active; a host: somebody joined
---@field disconnected boolean a client: it is over; a host: somebody left
---@field session_started boolean
---@field session? table the host's metadata, when session_started
---@field messages integer how many messages are among the events
---@field events demi.SessionEvent[] in the order they happened

---@class demi.SessionRefusal
---@field reason string
---@field count integer
---@field message? string
---@field path? string file of the contract's rule
---@field line? integer

---@class demi.SessionDiagnostics
---@field mode "offline"|"host"|"client"
---@field local_peer_id string
---@field connected boolean
---@field secure boolean DTLS
---@field latency_ms number
---@field connected_peers integer
---@field sent_messages integer
---@field received_messages integer
---@field rejected_messages integer
---@field session_epoch integer
---@field contract_hash string
---@field secure_accepted_messages integer
---@field secure_rejected_messages integer
---@field secure_ready boolean the phase is active
---@field phase "closed"|"connected"|"authenticated"|"ready"|"active"|"reconnecting"
---@field last_error string the newest refusal; "" when there is none
---@field tick integer
---@field late_ticks_skipped integer
---@field clamped_values integer
---@field not_finite_values integer
---@field refusals demi.SessionRefusal[]

---@class demi.SessionContract
---@field active boolean
---@field id string
---@field compatibility_hash string the engine's, fnv1a64:…
---@field meaning_hash string what the handshake compares, sha256:…
---@field maximum_message_bytes integer
---@field maximum_owned_entities_per_peer integer

--- Changes the options that are given.
---@param options demi.SessionOptions
function Session.configure(options) end

--- Opens a session. 0 lets the system choose a port. Under `demi-net host` the first call is true for what the program has opened.
---@param port? integer
---@return boolean
function Session.host(port) end

--- Starts connecting: an IP address or "localhost". Under `demi-net join` the first call is true for what the program has started.
---@param address? string
---@param port? integer
---@return boolean started
function Session.connect(address, port) end

--- Ends the session, hosted or joined.
function Session.disconnect() end

--- Whether a link exists.
---@return boolean
function Session.is_connected() end

--- Whether this peer hosts.
---@return boolean
function Session.is_host() end

--- "server", "peerN", or "client" before the handshake.
---@return string
function Session.sender_id() end

--- Tells every player, also those who join later, what is played (host). Returns nothing, false when refused.
---@param metadata table
function Session.start_session(metadata) end

--- Removes a player; the text reaches it (host; not in the engine).
---@param sender_id string
---@param text? string
---@return boolean
function Session.kick(sender_id, text) end

--- Lets newcomers in, or not (host; not in the engine).
---@param open boolean
---@return boolean
function Session.set_open(open) end

--- The game has loaded: ends the wait of the option hold_ready (client; not in the engine).
---@return boolean
function Session.ready() end

--- Makes an entity replicated (host). An entity_id that exists gives its values; else one is made from the prefab.
---@param prefab_key string
---@param entity_id? string
---@param owner? string "server", "peerN"; the contract's default where it is the server
---@return string|nil network_id
function Session.spawn(prefab_key, entity_id, owner) end

--- Gives an entity to another owner (host).
---@param network_id string
---@param owner string
---@return boolean
function Session.transfer(network_id, owner) end

--- Removes a replicated entity (host).
---@param network_id string
---@return boolean
function Session.despawn(network_id) end

--- Who owns an entity.
---@param network_id string
---@return string|nil
function Session.owner(network_id) end

--- Whether this peer owns an entity.
---@param network_id string
---@return boolean
function Session.has_authority(network_id) end

--- The oldest entity of an owner.
---@param owner string
---@return string|nil network_id
function Session.network_id_for_owner(owner) end

--- Makes a scene entity stand for a network entity. It takes the network entity's values first.
---@param network_id string
---@param entity_id string
---@return boolean
function Session.bind_local_entity(network_id, entity_id) end

--- Sends a message that the contract declares. It never comes back to its sender.
---@param name string
---@param target string|nil network id, where the contract asks for one
---@param data any
---@return boolean
function Session.send(name, target, data) end

--- Publishes the fields of an owned, bound entity when its send interval is over; true although nothing was due.
---@param network_id string
---@param dt? number seconds since the last call; one tick
---@return boolean
function Session.update_entity(network_id, dt) end

--- Where the oldest entity of a peer is.
---@param sender_id string
---@return number|nil x
---@return number|nil y
function Session.remote_position(sender_id) end

--- Everything that has happened since the last call. The tables are new each time.
---@return demi.SessionUpdate
function Session.process_events() end

--- The metadata of the session, or nil.
---@return table|nil
function Session.current_session() end

--- The contract that is in force.
---@return demi.SessionContract
function Session.contract() end

--- State, counters and the newest refusal.
---@return demi.SessionDiagnostics
function Session.diagnostics() end

--- Not available yet: returns false.
---@param channel table
---@return boolean
function Session.enable_prediction(channel) end

--- Not available yet: returns false.
---@param network_id string
---@return boolean
function Session.disable_prediction(network_id) end

--- Not available yet: returns false.
---@param network_id string
---@param state table
---@return boolean
function Session.reset_prediction(network_id, state) end

--- Not available yet: returns nil.
---@param network_id string
---@param input table
---@return integer|nil seq
function Session.predict_input(network_id, input) end

--- Not available yet: returns nil.
---@param network_id string
---@return table|nil
function Session.prediction_state(network_id) end

--- Not available yet: returns nil.
---@param network_id string
---@return table|nil
function Session.prediction_visual_offset(network_id) end

--- Not available yet: returns nil.
---@param network_id string
---@return table|nil
function Session.remote_state(network_id) end

--- Not available yet: returns an empty table.
---@return table
function Session.prediction_diagnostics() end

--- Not available yet: returns an empty list.
---@param network_id string
---@return table[]
function Session.take_inputs(network_id) end

--- Not available yet: returns false.
---@param network_id string
---@param state table
---@param options? {marker: "normal"|"teleport"|"reset"}
---@return boolean
function Session.publish_snapshot(network_id, state, options) end

--- Not available yet: returns false.
---@param server_tick integer
---@param circles table[]
---@return boolean
function Session.record_query_snapshot(server_tick, circles) end

--- Not available yet: returns nil.
---@param tick integer
---@param ox number
---@param oy number
---@param dx number
---@param dy number
---@param max_distance number
---@param layer? string
---@param ignored_entity_id? string
---@return table|nil
function Session.historical_raycast(tick, ox, oy, dx, dy, max_distance, layer, ignored_entity_id) end

--- Zeros, until there is a query history.
---@return {depth: integer, latest_tick: integer, recorded: integer, rejected: integer, dropped: integer, queries: integer, clamped_queries: integer, misses: integer}
function Session.query_history_diagnostics() end

--- Not available yet: returns false.
---@return boolean
function Session.clear_query_history() end

--- Removed by the engine: returns false.
---@deprecated
---@return boolean
function Session.register_entity(...) end

--- Removed by the engine: returns false.
---@deprecated
---@return boolean
function Session.set_authority(...) end

--- Removed by the engine: returns false.
---@deprecated
---@return boolean
function Session.claim_authority(...) end

--- Removed by the engine: returns false.
---@deprecated
---@return boolean
function Session.release_authority(...) end

--- Removed by the engine: returns false.
---@deprecated
---@return boolean
function Session.claim(...) end

--- Removed by the engine: returns false.
---@deprecated
---@return boolean
function Session.request_claim(...) end

--- Removed by the engine: returns false.
---@deprecated
---@return boolean
function Session.release_claim(...) end

--- Removed by the engine: returns false.
---@deprecated
---@return boolean
function Session.emit(...) end

return Session
