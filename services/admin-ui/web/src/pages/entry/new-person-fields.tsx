import { TextField } from '../../kit/controls/text-field.tsx'

/** Form fields for the name and the new password of a person. */
export function NewPersonFields({ name }: { name?: string }) {
  return (
    <>
      <TextField
        label="Name"
        name="name"
        autoComplete="name"
        isRequired
        {...(name !== undefined && { defaultValue: name })}
      />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="new-password"
        hint="At least 12 characters. A sentence of several words is easy to remember."
        minLength={12}
        isRequired
      />
    </>
  )
}
