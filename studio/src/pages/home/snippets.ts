/** How a first sample is sent, program by program; docs/integrations.md tells more of each. */

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
    id: 'arduino',
    label: 'Arduino',
    hint: 'For ESP32 or ESP8266, after Wi-Fi is connected.',
    write: ({ address, key }) => {
      const isSecure = address.startsWith('https:')
      const client = isSecure ? 'WiFiClientSecure' : 'WiFiClient'
      const trust = isSecure
        ? '\n  client.setInsecure();  // does not check the server certificate; set your certificate instead'
        : ''
      return `#ifdef ESP8266
#include <ESP8266HTTPClient.h>
#else
#include <HTTPClient.h>
#endif
#include <${client}.h>

bool putSample(float temperature, float humidity) {
  ${client} client;${trust}
  HTTPClient http;
  http.begin(client, String("${address}/api/feed?compId=greenhouse&temp=") +
                         String(temperature, 2) + "&humidity=" + String(humidity, 1));
  http.addHeader("X-Api-Key", "${key}");
  int status = http.PUT("");
  http.end();
  return status == 200;  // otherwise keep the reading and send it again later
}`
    },
  },
  {
    id: 'python',
    label: 'Python',
    hint: 'Python 3, standard library only.',
    write: ({ address, key }) => `import json, math, time, urllib.request

while True:
    samples = [{"compId": "greenhouse", "streamId": "temp",
                "data": round(21 + 3 * math.sin(time.time() / 30), 2)}]
    request = urllib.request.Request("${address}/api/feed", json.dumps(samples).encode(),
                                     {"X-Api-Key": "${key}"}, method="PUT")
    urllib.request.urlopen(request, timeout=10)
    time.sleep(1)`,
  },
  {
    id: 'javascript',
    label: 'JavaScript',
    hint: 'For Node.js, Deno, or Bun.',
    write: ({
      address,
      key,
    }) => `const samples = [{ compId: 'greenhouse', streamId: 'temp', data: 21.5 }]
const answer = await fetch('${address}/api/feed', {
  method: 'PUT',
  headers: { 'X-Api-Key': '${key}', 'Content-Type': 'application/json' },
  body: JSON.stringify(samples),
})
if (!answer.ok) throw new Error(await answer.text())`,
  },
  {
    id: 'telegraf',
    label: 'Telegraf',
    hint: 'Add to telegraf.conf. Creates one component per host and one stream per field.',
    write: ({ address, key }) => `[[outputs.http]]
  url = "${address}/api/feed"
  method = "PUT"
  data_format = "json"
  json_timestamp_units = "1ms"
  json_transformation = '''
    [metrics.($m := $; $each(fields, function($value, $name) {
      {"compId": $m.tags.host, "streamId": $m.name & "_" & $name, "time": $m.timestamp, "data": $value}
    }))]
  '''
  [outputs.http.headers]
    X-Api-Key = "${key}"
    Content-Type = "application/json"`,
  },
]
