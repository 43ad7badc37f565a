import { useRef } from 'react'
import { IconButton } from '../../../ui/button.tsx'
import styles from './label-fields.module.css'

interface AddressListProps {
  readonly addresses: readonly string[]
  readonly onChange: (addresses: string[]) => void
}

/** The texts by which other protocols find a component; each can be removed. */
export function AddressList({ addresses, onChange }: AddressListProps) {
  const place = useRef<HTMLFieldSetElement>(null)
  return (
    <fieldset ref={place} className={styles.labels} tabIndex={-1}>
      <legend>Addressed as</legend>
      <p className={styles.hint}>
        New series of other protocols with one of these addresses get their stream here, whatever
        the ID of the component is. Existing series keep their streams.
      </p>
      <ul className={styles.addresses} aria-label="Addresses">
        {addresses.map((address) => (
          <li key={address}>
            <span dir="auto">{address}</span>
            <IconButton
              icon="trash"
              label={`Remove address ${address}`}
              onClick={() => {
                onChange(addresses.filter((one) => one !== address))
                place.current?.focus()
              }}
            />
          </li>
        ))}
      </ul>
      {addresses.length === 0 && <p className={styles.hint}>Save to remove all addresses.</p>}
    </fieldset>
  )
}
