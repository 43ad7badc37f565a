/** One state change that is sent to a channel. Written in the same catalog commit as the event. */
export interface NoticeContent {
  readonly alertUid: string
  readonly alertName: string
  readonly severity: 'info' | 'warning' | 'critical'
  readonly state: 'FIRING' | 'OK'
  readonly reason: 'change' | 'repeat' | 'unmuted'
  /** With values filled in. */
  readonly message: string
  readonly streamUid: string
  readonly streamId: string
  readonly componentUid: string
  readonly componentId: string
  readonly componentName: string
  readonly sampleTime?: number
  /** The value as text. */
  readonly value?: string
  /** Since when the state holds. */
  readonly startedMs: number
  /** The event that caused the notice. */
  readonly eventUid: string
}

/** A state change on its way to one channel. */
export interface Notice {
  readonly uid: string
  readonly orgUid: string
  readonly channelUid: string
  /** Equal for every try of this notice. */
  readonly idempotencyKey: string
  /** `${alertUid}/${streamUid}`: notices with one key are sent in order. */
  readonly orderKey: string
  /** Ascending within an order key. */
  readonly sequence: number
  readonly createdMs: number
  readonly content: NoticeContent
}
