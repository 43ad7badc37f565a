import { type Clock, hashSecret, newUid } from '../../base/index.ts'
import type { SecretBox } from '../secret-box.ts'
import type { User } from '../users.ts'

/** The data that distinguish devices. */
export interface DeviceParts {
  readonly box: SecretBox
  readonly clock: Clock
}

type DeviceUser = Pick<User, 'uid' | 'passwordHash'>

interface Device {
  readonly uid: string
  readonly userUid: string
  /** Of which password: a device that knew an old one is unknown. */
  readonly passwordMark: string
  readonly madeAtMs: number
}

const OWNER = 'device'
const LENGTH_MAX = 1_000

/** How long a device stays known. */
export const DEVICE_LIFE_MS = 400 * 86_400_000

/** What a device keeps after a sign-in: it says that somebody knew the password there, and lets nobody in. */
export function makeDeviceToken({ box, clock }: DeviceParts, user: DeviceUser): string {
  const device: Device = {
    uid: newUid(),
    userUid: user.uid,
    passwordMark: markOf(user),
    madeAtMs: clock.now(),
  }
  return box.seal(JSON.stringify(device), OWNER)
}

/** The UID of the device that brings a token, when it is one of the user's; undefined: an unknown device. */
export function readDeviceToken(
  { box, clock }: DeviceParts,
  user: DeviceUser,
  token: string | undefined,
): string | undefined {
  if (token === undefined || token.length > LENGTH_MAX) return undefined
  const device = open(box, token)
  if (device?.userUid !== user.uid || device.passwordMark !== markOf(user)) return undefined
  return clock.now() - device.madeAtMs < DEVICE_LIFE_MS ? device.uid : undefined
}

function open(box: SecretBox, token: string): Device | undefined {
  try {
    return JSON.parse(box.open(token, OWNER)) as Device
  } catch {
    // Whatever somebody sends instead of a token of ours is no device.
    return undefined
  }
}

function markOf({ passwordHash }: DeviceUser): string {
  return hashSecret(passwordHash).slice(0, 16)
}
