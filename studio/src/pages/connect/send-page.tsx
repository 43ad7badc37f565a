import { SendSteps } from '../home/first-run.tsx'
import { ConnectFrame } from './connect-frame.tsx'

/** Code with which programs send samples, for those who have data already. */
export function SendPage() {
  return (
    <ConnectFrame title="Send data" here="/connect/send">
      <SendSteps />
    </ConnectFrame>
  )
}
