/** Statements to begin with, and what they are for: the worked examples of docs/webhooks.md. */

/** One of them. */
export interface StartingPoint {
  readonly id: string
  readonly label: string
  readonly hint: string
  readonly timeZoneId: string
  readonly sql: string
  readonly method: 'PUT' | 'POST' | 'GET'
  /** Behind the question mark, without the key. */
  readonly query: string
  /** What is sent; null: nothing. */
  readonly body: string | null
}

/** One for each kind of payload, a plain one first. */
export const startingPoints: readonly StartingPoint[] = [
  {
    id: 'json',
    label: 'Custom JSON',
    hint: 'A device with a list of values, each with its time',
    timeZoneId: 'UTC',
    sql: `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
SELECT d, s, t, v FROM JSON_TABLE(@HTTP_BODY) WITH (
  d String '$.device', s String '$.values[*].id', t Long '$.values[*].time', v Double '$.values[*].value')`,
    method: 'POST',
    query: '',
    body: `{
  "device": "d7",
  "values": [
    {"id": "temp", "time": 1700000000000, "value": 21.5},
    {"id": "hum", "time": 1700000000000, "value": 40}
  ]
}`,
  },
  {
    id: 'things-stack',
    label: 'The Things Stack',
    hint: 'Uplink message with decoded values (POST)',
    timeZoneId: 'UTC',
    sql: `WITH up AS (
  SELECT * FROM JSON_TABLE(@HTTP_BODY) WITH (dev String '$.end_device_ids.device_id', at String '$.received_at',
    moisture Double '$.uplink_message.decoded_payload.soil_moisture', valve String '$.uplink_message.decoded_payload.valve',
    rssi Long '$.uplink_message.rx_metadata[0].rssi')
), t AS (SELECT *, TOEPOCHMILLIS(at, 'yyyy-MM-dd''T''HH:mm:ss.SXXX') AS time FROM up)
INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) WITH (FOLDER_PATH = '/Components/Orchard')
SELECT dev, 'moisture', time, moisture FROM t
UNION ALL SELECT dev, 'valve', time, valve FROM t
UNION ALL SELECT dev, 'rssi', time, rssi FROM t`,
    method: 'POST',
    query: '',
    body: `{
  "end_device_ids": {"device_id": "soil-07", "application_ids": {"application_id": "orchard"}, "dev_eui": "70B3D57ED0051A2B"},
  "received_at": "2024-03-05T08:08:09.045123456Z",
  "uplink_message": {
    "f_port": 2, "f_cnt": 4711, "frm_payload": "AQ4CBwM=",
    "decoded_payload": {"soil_moisture": 27.4, "valve": "closed"},
    "rx_metadata": [{"gateway_ids": {"gateway_id": "barn-roof"}, "rssi": -97, "snr": 8.2}]
  }
}`,
  },
  {
    id: 'sigfox',
    label: 'Sigfox',
    hint: 'GET callback. All values are in the query string, times in seconds',
    timeZoneId: 'UTC',
    sql: `SET @q = @HTTP_QUERY_STRING;
SET @time = CAST(queryValue(@q, 'time') AS LONG) * 1000;
INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) WITH (CNAME = 'Sigfox ' + queryValue(@q, 'id'))
SELECT queryValue(@q, 'id'), 'temperature', @time, CAST(queryValue(@q, 'temp') AS DOUBLE)
UNION ALL SELECT queryValue(@q, 'id'), 'rssi', @time, CAST(queryValue(@q, 'rssi') AS DOUBLE)`,
    method: 'GET',
    query: 'id=1A2B3C&time=1709626089&temp=21.5&rssi=-126.00&seqNumber=118',
    body: null,
  },
  {
    id: 'imonnit',
    label: 'iMonnit',
    hint: 'Sensors with types and values separated by |',
    timeZoneId: 'UTC',
    sql: `WITH RECURSIVE m AS (
  SELECT * FROM JSON_TABLE(@HTTP_BODY) WITH (id String '$.sensorMessages[*].sensorID', at String '$.sensorMessages[*].messageDate',
    types String '$.sensorMessages[*].dataType', vals String '$.sensorMessages[*].dataValue')
), n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8)
INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
SELECT 'imonnit-' + id, parseCsv(types, i, '|'), TOEPOCHMILLIS(at, 'yyyy-MM-dd HH:mm:ss'), parseCsv(vals, i, '|')
FROM m, n WHERE parseCsv(types, i, '|') IS NOT NULL`,
    method: 'POST',
    query: '',
    body: `{
  "gatewayMessage": {"gatewayID": "903112", "date": "2024-03-05 08:08:09", "count": "2"},
  "sensorMessages": [
    {"sensorID": "201", "messageDate": "2024-03-05 08:07:58", "dataType": "TemperatureData", "dataValue": "-18.6"},
    {"sensorID": "202", "messageDate": "2024-03-05 08:08:01", "dataType": "Percentage|TemperatureData", "dataValue": "48.2|21.4"}
  ]
}`,
  },
  {
    id: 'digi',
    label: 'Gateway CSV',
    hint: 'Times in local time. Set the time zone of the site',
    timeZoneId: 'Europe/Berlin',
    sql: `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
SELECT 'boiler-house', channel, TOEPOCHMILLIS(at, 'yyyy-MM-dd HH:mm:ss'), value
FROM CSV_TABLE(@HTTP_BODY HEADER) WITH (1 at STRING, 2 channel STRING, 3 value DOUBLE, 5 quality STRING)
WHERE ifNull(quality, 'good') <> 'bad'`,
    method: 'PUT',
    query: '',
    body: `#TIMESTAMP,CHANNEL,VALUE,UNIT,QUALITY
2024-03-05 09:08:09,flow,61.5,C,good
2024-03-05 09:08:09,return,48.25,C,good
2024-03-05 09:09:09,flow,,C,bad
`,
  },
  {
    id: 'greenhouse',
    label: 'Path segments',
    hint: 'TC/22.4/HU/85. Samples get the time of arrival',
    timeZoneId: 'UTC',
    sql: `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 2 FROM n WHERE parseCsv(@HTTP_BODY, i + 2, '/') IS NOT NULL)
INSERT OR REPLACE INTO SAMPLE(CID, ID, SAMPLE)
SELECT 'greenhouse', parseCsv(@HTTP_BODY, i, '/'), CAST(parseCsv(@HTTP_BODY, i + 1, '/') AS DOUBLE) FROM n`,
    method: 'POST',
    query: '',
    body: `TC/22.4/HU/85`,
  },
  {
    id: 'rss',
    label: 'RSS and other XML',
    hint: 'Items of an XML feed',
    timeZoneId: 'UTC',
    sql: `WITH RECURSIVE parts(rest, item) AS (
  SELECT @HTTP_BODY, NULL
  UNION ALL
  SELECT substr(rest, indexOf(rest, '</item>') + 7), textBetween(rest, '<item>', '</item>') FROM parts WHERE contains(rest, '</item>')
), items AS (
  SELECT textBetween(item, '<guid>', '</guid>') AS id, textBetween(item, '<description>', '</description>') AS line,
    TOEPOCHMILLIS(textBetween(item, '<pubDate>', '</pubDate>'), 'EEE, dd MMM yyyy HH:mm:ss Z') AS time
  FROM parts WHERE item IS NOT NULL
)
INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
SELECT id, 'wind', time, CAST(textBetween(line, 'Wind ', ' km/h') AS DOUBLE) FROM items
UNION ALL SELECT id, 'from', time, textBetween(line, 'from ', ',') FROM items`,
    method: 'POST',
    query: '',
    body: `<?xml version="1.0"?>
<rss version="2.0"><channel><title>Harbour weather</title>
  <item><guid>pier-n</guid><pubDate>Tue, 05 Mar 2024 08:00:00 +0000</pubDate><description>Wind 12.5 km/h from SW, 8.4 C</description></item>
  <item><guid>lock-1</guid><pubDate>Tue, 05 Mar 2024 09:10:00 +0100</pubDate><description>Wind 9 km/h from W, 8.9 C</description></item>
</channel></rss>`,
  },
]
