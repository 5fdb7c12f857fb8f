import { useEffect, useState } from 'react'
import { Button } from '../../../kit/controls/button.tsx'
import { SelectField } from '../../../kit/controls/select-field.tsx'
import { TextField } from '../../../kit/controls/text-field.tsx'
import { FilterForm } from '../../../kit/forms/filter-form.tsx'
import { QuerySelectField } from '../../../kit/forms/query-fields.tsx'
import { usePageQuery } from '../../../routing/navigation.tsx'
import { fieldOf, searchFields } from './message-query.ts'

const states = [
  { value: '', label: 'all' },
  { value: 'unread', label: 'unread' },
  { value: 'flagged', label: 'flagged' },
]
const fieldTexts = { subject: 'Subject', from: 'Author', to: 'Recipient', body: 'Text' }
const fields = searchFields.map((value) => ({ value, label: fieldTexts[value] }))

/**
 * Fields that search the messages of a mailbox. The search runs at the mail server, so it starts
 * when the form is submitted.
 */
export function MessageFilters() {
  const [query, change] = usePageQuery()
  const { text = '', state = '' } = query
  const field = fieldOf(query)
  const [entered, setEntered] = useState({ text, field })
  // The search in the address of the page can change without this form, such as by the back button.
  useEffect(() => setEntered({ text, field }), [text, field])
  const first = { page: '', cursor: '' }
  return (
    <FilterForm onSubmit={() => change({ ...entered, ...first })} submit="Search">
      <TextField
        label="Search"
        type="search"
        isSearch
        value={entered.text}
        onChange={(value) => setEntered({ ...entered, text: value })}
      />
      <SelectField
        label="In"
        value={entered.field}
        options={fields}
        onChange={(value) => setEntered({ ...entered, field: value })}
      />
      <QuerySelectField label="State" name="state" value={state} options={states} />
      {(text !== '' || state !== '') && (
        <Button onPress={() => change({ text: '', state: '', ...first })}>All messages</Button>
      )}
    </FilterForm>
  )
}
