/** A process that commits notices for ever, prints the key of each that is durable, and delivers them meanwhile. */
import { fastClock } from './fast-clock.ts'
import { noticeOf, openNoticeHome } from './notice-home.ts'

const [, , folder, channelUid, fromMs, firstSequence] = process.argv
const clock = fastClock(Number(fromMs))
const home = await openNoticeHome({ folder, clock })
const ORDER_KEYS = 3
for (let sequence = Number(firstSequence); ; sequence += 1) {
  const orderKey = `alert/${sequence % ORDER_KEYS}`
  const notice = noticeOf(channelUid, {
    orderKey,
    sequence,
    createdMs: clock.now(),
    about: { streamUid: orderKey, message: String(sequence) },
  })
  await home.put(notice)
  process.stdout.write(`${notice.idempotencyKey}\n`)
}
