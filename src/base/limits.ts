/**
 * Every cap of the service, each with its reason. Those that an operator may change are defaults of
 * the configuration; the others are fixed.
 */

/** IDs come from devices: barcodes, paths and names of any script fit, and an index key stays small. */
export const ID_LENGTH_MAX = 512

/** The most items one GET answers (contract, section 8). */
export const FEED_LIMIT_MAX = 1_000

/** Entries of a plot: a screen has fewer pixels beside each other. */
export const PLOT_POINTS_MAX = 4_000

/** Plots of one call, and their entries together: a board on a wide screen, in some ten megabytes at most. */
export const PLOTS_PER_CALL_MAX = 200
export const PLOTS_POINTS_MAX = 200_000

/** One call's samples: what a gateway sends after a day offline, and still a bounded frame. */
export const SAMPLES_PER_CALL_MAX = 1_000_000

/** Default of the streams that one call may create: one commit of the catalog, which is held in memory for it. */
export const STREAMS_CREATED_PER_CALL_MAX = 20_000

/** Components of a batch, and likewise their streams in all: each is an object in memory, and bulk loads have fewer. */
export const BATCH_ENTRIES_MAX = 100_000

/** Entries of one list in the query of a put: a URL of 256 KB has room for about as many. */
export const QUERY_ENTRIES_MAX = 10_000

/** Components and streams that a live call names: what the URL of a long selection holds. */
export const LIVE_NAMES_MAX = 2_000

/** Streams in the body of one component or template: reading and checking them takes a tenth of a second. */
export const STREAMS_PER_RECORD_MAX = 10_000

/** The longest text of one sample, in UTF-16 units: a thousand of them still fit in memory. */
export const TEXT_LENGTH_MAX = 1_000_000

/** The bytes of one answer with texts, as JSON: it is built in memory. */
export const ANSWER_BYTES_MAX = 100_000_000

/** The most precedent streams derived in one call (contract, section 8). */
export const DERIVE_STREAMS_MAX = 20

/** The longest a call may derive, in milliseconds (contract, section 8). */
export const DERIVE_TIMEOUT_MS_MAX = 15_000

/** Default cap of an inflated request body. */
export const BODY_BYTES_DEFAULT = 200_000_000

/** Default cap of one file body. */
export const FILE_BYTES_DEFAULT = 4_000_000_000

/** Request line and headers together: the URL form carries whole lists of values. */
export const HEADER_BYTES_MAX = 256 * 1024

/** Each connection costs memory and a file handle; more devices belong behind a proxy. */
export const CONNECTIONS_DEFAULT = 20_000

/** Connections of one address: gateways and offices have some hundred devices behind one. */
export const CONNECTIONS_PER_ADDRESS_DEFAULT = 2_000

/** The deepest JSON that is read; real payloads stay below ten levels. */
export const JSON_DEPTH_MAX = 64

/** The longest file name: what common file systems take. */
export const FILE_NAME_LENGTH_MAX = 255

/** Items on one page of an administrative list. */
export const PAGE_LIMIT_MAX = 1_000

/** The bytes of a page's records as JSON, of more than one: it is read and written in one piece. */
export const PAGE_BYTES_MAX = 8_000_000

/** The most that a record of an administrative call takes, about: bodies are no longer. */
export const ADMIN_BODY_BYTES_MAX = 1_048_576

/** How many bytes a sent one may inflate to; beyond this only what is made to fill disks goes. */
export const INFLATED_RATIO_MAX = 1_000

/** What may be inflated whatever the ratio: long runs of one value are usual in short bodies. */
export const INFLATED_FREE_BYTES = 16 * 1024 * 1024

/** What a database server may send before a session is signed in: greetings, settings and certificates take a few KB. */
export const DATABASE_SIGN_IN_BYTES_MAX = 64 * 1024

/** What a database server may send for one batch of rows, or for one row or message: the longest text of a sample takes 4 MB. */
export const DATABASE_ANSWER_BYTES_MAX = 16 * 1024 * 1024

/**
 * How far a time assigned by the server may be ahead of the clock before the answer warns. Quick puts get times a
 * millisecond apart and run ahead by less; a wrong clock exceeds it.
 */
export const ASSIGNED_AHEAD_MS_MAX = 1_000
