import { usePageQuery } from '../../routing/navigation.tsx'
import { SelectField } from '../controls/select-field.tsx'
import { TextField } from '../controls/text-field.tsx'

/** Position of the first page of a list: a changed filter shows the list from its beginning. */
const firstPage = { page: '', cursor: '' }

export interface QueryTextFieldProps {
  label: string
  /** Name of the filter in the address of the page. */
  name: string
  type?: 'search' | 'datetime-local'
  isSearch?: boolean
  hint?: string
  /** Problem of the filter's current value. Absent: the value is correct. */
  problem?: string
}

/** Text field for a filter of a list, with its value in the address of the page. */
export function QueryTextField({ name, type = 'search', ...rest }: QueryTextFieldProps) {
  const [query, change] = usePageQuery()
  return (
    <TextField
      type={type}
      value={query[name] ?? ''}
      onChange={(value) => change({ [name]: value, ...firstPage })}
      {...rest}
    />
  )
}

export interface QuerySelectFieldProps<K extends string> {
  label: string
  /** Name of the filter in the address of the page. */
  name: string
  /** Choice that applies. An address can have a value that is no choice. */
  value: K
  options: readonly { value: K; label: string }[]
}

/** Field for a filter of a list with several choices, with its value in the address of the page. */
export function QuerySelectField<K extends string>(props: QuerySelectFieldProps<K>) {
  const { name, ...rest } = props
  const [, change] = usePageQuery()
  return <SelectField {...rest} onChange={(value) => change({ [name]: value, ...firstPage })} />
}
