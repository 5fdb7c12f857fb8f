import { useState } from 'react'
import { CopyBox } from '../../kit/content/copy-box.tsx'

/** Value and description of an access token that was created on the open page. */
export interface NewTokenValue {
  token: string
  description: string
}

/**
 * Returns the access tokens that were created since the page was opened, newest first, and the
 * function that adds a token. The value of a token cannot be loaded again, so all values stay until
 * the page is left.
 */
export function useNewTokenValues(): [
  values: readonly NewTokenValue[],
  add: (value: NewTokenValue) => void,
] {
  const [values, setValues] = useState<readonly NewTokenValue[]>([])
  return [values, (value) => setValues((before) => [value, ...before])]
}

/**
 * Values of new access tokens, numbered, with buttons that copy the values. Absent without values.
 */
export function NewTokenValues({ values }: { values: readonly NewTokenValue[] }) {
  if (values.length === 0) return null
  return (
    <>
      <p role="status">
        {values.length === 1
          ? 'Copy the value now. The value is not stored and not shown again.'
          : `Copy the ${values.length} values now. The values are not stored and not shown again.`}
      </p>
      {values.map(({ token, description }, index) => {
        const number = values.length - index
        const title = `Token ${number}: ${description}`
        return (
          <section key={token} aria-label={title}>
            <h3>{title}</h3>
            <CopyBox text={token} label={`Copy the value of token ${number}`} />
          </section>
        )
      })}
    </>
  )
}
