/** How a first sample is sent, program by program; docs/integrations.md has more on each. */

/** What a snippet is about. */
interface Sender {
  /** Where the service is. */
  readonly address: string
  readonly key: string
}

/** A way to send the first sample. */
export interface Snippet {
  readonly id: string
  readonly label: string
  /** What to do with the text. */
  readonly hint: string
  readonly write: (sender: Sender) => string
  /** Whether it runs on another machine. */
  readonly isForDevices?: boolean
}

/** The ways, the shortest first. */
export const snippets: readonly Snippet[] = [
  {
    id: 'curl',
    label: 'curl',
    hint: 'Run in a terminal. Repeat with other values to extend the chart.',
    write: ({ address, key }) =>
      `curl -X PUT -H "X-Api-Key: ${key}" \\\n  "${address}/api/feed?compId=greenhouse&temp=21.5&humidity=48"`,
  },
  {
    id: 'telegraf',
    label: 'Telegraf',
    hint: 'Add to telegraf.conf. Each host becomes a component, and each field with its tags a stream.',
    write: ({ address, key }) => `[[outputs.influxdb_v2]]
  urls = ["${address}"]
  token = "${key}"
  organization = "weir"
  bucket = "weir"`,
  },
  {
    id: 'home-assistant',
    label: 'Home Assistant',
    hint: 'Sends all entities. Each entity becomes a component. Restart Home Assistant after the change.',
    write: ({ address, key }) => {
      const { hostname, port, protocol } = new URL(address)
      const isSecure = protocol === 'https:'
      return `# secrets.yaml
weir_key: ${key}

# configuration.yaml
influxdb:
  host: ${hostname}
  port: ${port || (isSecure ? 443 : 80)}${isSecure ? '\n  ssl: true' : ''}
  username: weir
  password: !secret weir_key
  max_retries: 10`
    },
  },
  {
    id: 'node-red',
    label: 'Node-RED',
    hint: 'Install node-red-contrib-influxdb, import the flow, and set the token of the server node again.',
    write: ({ address, key }) => `[
  {
    "id": "weir-server", "type": "influxdb", "name": "Weir", "influxdbVersion": "2.0",
    "url": "${address}", "credentials": { "token": "${key}" }
  },
  {
    "id": "weir-reading", "type": "inject", "payloadType": "json",
    "payload": "[{\\"temperature\\":21.5,\\"humidity\\":48},{\\"host\\":\\"greenhouse\\"}]",
    "wires": [["weir-write"]]
  },
  {
    "id": "weir-write", "type": "influxdb out", "influxdb": "weir-server", "measurement": "weather",
    "precisionV18FluxV20": "ms", "org": "weir", "bucket": "weir", "wires": []
  }
]`,
  },
  {
    id: 'python',
    label: 'Python',
    hint: 'With the package influxdb-client.',
    write: ({ address, key }) => `from influxdb_client import InfluxDBClient, Point
from influxdb_client.client.write_api import SYNCHRONOUS

with InfluxDBClient(url="${address}", token="${key}", org="weir") as client:
    point = Point("weather").tag("host", "greenhouse").field("temperature", 21.5).field("humidity", 48)
    client.write_api(write_options=SYNCHRONOUS).write(bucket="weir", record=point)`,
  },
  {
    id: 'javascript',
    label: 'JavaScript',
    hint: 'With the package @influxdata/influxdb-client.',
    write: ({ address, key }) => `import { InfluxDB, Point } from '@influxdata/influxdb-client'

const weir = new InfluxDB({ url: '${address}', token: '${key}' })
const writer = weir.getWriteApi('weir', 'weir', 'ms')
writer.writePoint(
  new Point('weather').tag('host', 'greenhouse').floatField('temperature', 21.5).intField('humidity', 48),
)
await writer.close()`,
  },
  {
    id: 'arduino',
    label: 'ESP32',
    hint: 'A whole sketch for the Arduino IDE, for ESP32 and ESP8266. Set the name and password of your Wi-Fi.',
    write: writeSketch,
    isForDevices: true,
  },
]

/** A sketch that connects to Wi-Fi and sends two values every ten seconds. */
function writeSketch({ address, key }: Sender): string {
  const isSecure = address.startsWith('https:')
  const client = isSecure ? 'WiFiClientSecure' : 'WiFiClient'
  const trust = isSecure
    ? '\n  client.setInsecure();  // does not check the server certificate; set your certificate instead'
    : ''
  return `#ifdef ESP8266
#include <ESP8266HTTPClient.h>
#include <ESP8266WiFi.h>
#else
#include <HTTPClient.h>
#include <WiFi.h>
#endif
#include <${client}.h>

const char* WIFI_NAME = "your Wi-Fi";
const char* WIFI_PASSWORD = "its password";
const char* WEIR = "${address}";
const char* KEY = "${key}";
const unsigned long EVERY_MS = 10000;

float readTemperature() { return 21.5; }  // read your sensor here
float readHumidity() { return 48.0; }

void connectWifi() {
  WiFi.mode(WIFI_STA);
  WiFi.begin(WIFI_NAME, WIFI_PASSWORD);
  while (WiFi.status() != WL_CONNECTED) delay(250);
  Serial.println(WiFi.localIP());
}

bool putSample(float temperature, float humidity) {
  ${client} client;${trust}
  HTTPClient http;
  http.begin(client, String(WEIR) + "/api/feed?compId=greenhouse&temp=" +
                         String(temperature, 2) + "&humidity=" + String(humidity, 1));
  http.addHeader("X-Api-Key", KEY);
  int status = http.PUT("");
  if (status != 200) Serial.println(status);
  http.end();
  return status == 200;  // otherwise keep the reading and send it again later
}

void setup() {
  Serial.begin(115200);
  connectWifi();
}

void loop() {
  if (WiFi.status() != WL_CONNECTED) connectWifi();
  putSample(readTemperature(), readHumidity());
  delay(EVERY_MS);
}`
}
