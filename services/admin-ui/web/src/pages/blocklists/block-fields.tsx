import { TextField } from '../../kit/controls/text-field.tsx'

/** Fields of a form for an address on a blocklist. */
export function BlockFields() {
  return (
    <>
      <TextField label="Email address" name="recipient" type="email" isRequired />
      <TextField
        label="Account id"
        name="account"
        isRequired
        hint="The address receives no messages of the list from this account."
      />
      <TextField label="Reason (optional)" name="reason" />
    </>
  )
}
