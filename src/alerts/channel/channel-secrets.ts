import type { SecretBox } from '../../auth/index.ts'
import { refuse } from '../../base/index.ts'
import type { ChannelBody } from './channel-shape.ts'

/** To whom a secret belongs: one that is moved to another organization or server does not open. */
interface SecretOwner {
  readonly orgUid: string
  /** Blank for secrets that are never sent. */
  readonly origin: string
}

/** Encrypts the secrets of channels, and decrypts them to send. */
export class ChannelSecrets {
  readonly #box: SecretBox

  constructor(box: SecretBox) {
    this.#box = box
  }

  seal(secret: string, owner: SecretOwner): string {
    return this.#box.seal(secret, ownerText(owner))
  }

  openUrl({ sealedUrl, origin }: ChannelBody, orgUid: string): string {
    return this.#open(sealedUrl, { orgUid, origin })
  }

  /** Blank for a channel without a token. */
  openToken({ sealedToken, origin }: ChannelBody, orgUid: string): string {
    return this.#open(sealedToken, { orgUid, origin })
  }

  /** Blank for a channel that does not sign. */
  openSecret({ sealedSecret }: ChannelBody, orgUid: string): string {
    return this.#open(sealedSecret, { orgUid, origin: '' })
  }

  #open(sealed: string, owner: SecretOwner): string {
    if (sealed === '') return ''
    try {
      return this.#box.open(sealed, ownerText(owner))
    } catch {
      refuse('conflict', {
        what: 'The secrets of this channel were encrypted with another secret.key. Restore that file, or enter URL, token, and secret again',
      })
    }
  }
}

function ownerText({ orgUid, origin }: SecretOwner): string {
  return `channel ${orgUid} ${origin}`
}
