import { SectionFrame } from '../../app/section-frame.tsx'
import { SendSteps } from '../home/first-run.tsx'
import { CONNECT } from './connect-section.ts'

/** Code with which programs send samples, for those who have data already. */
export function SendPage() {
  return (
    <SectionFrame section={CONNECT} here="/connect/send">
      <SendSteps />
    </SectionFrame>
  )
}
