"""Five calls by a client that openapi-python-client generated."""
import os

from weir_client import AuthenticatedClient
from weir_client.api.feed import get_feed, get_last_value, get_statistic, put_feed
from weir_client.api.property_ import get_properties
from weir_client.models.get_statistic_stat_id import GetStatisticStatId
from weir_client.models.incoming_sample import IncomingSample

HOUR = 3_600_000
FIRST = 1_767_225_600_000

client = AuthenticatedClient(
    base_url=os.environ["WEIR"],
    token=os.environ["KEY"],
    prefix="",
    auth_header_name="X-Api-Key",
    raise_on_unexpected_status=True,
)
samples = [
    IncomingSample(comp_id="boiler", stream_id="temp", time=FIRST + at * HOUR, data=value)
    for at, value in enumerate([70.123456789, 71.5])
]
put = put_feed.sync_detailed(client=client, body=samples)
assert put.status_code == 200 and put.parsed is None, put

place = {"comp_id": "boiler", "stream_id": "temp", "client": client}
feed = get_feed.sync(**place, sd=FIRST, ed=FIRST + 24 * HOUR)
assert [(one.time, one.data) for one in feed] == [(FIRST + HOUR, 71.5), (FIRST, 70.123456789)], feed
last = get_last_value.sync(**place, ret_stream_id=True)
assert [(one.stream_id, one.data) for one in last] == [("temp", 71.5)], last
day = get_statistic.sync(**place, cycle_id="day", stat_id=GetStatisticStatId.MAX)
assert [one.data for one in day] == [71.5], day
properties = get_properties.sync(comp_id="boiler", client=client, name=True)
assert properties[0].component.name == "boiler", properties
print("five calls made")
