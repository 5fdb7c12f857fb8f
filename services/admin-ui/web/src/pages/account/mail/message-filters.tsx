import { Button } from '../../../kit/controls/button.tsx'
import { SelectField } from '../../../kit/controls/select-field.tsx'
import { TextField } from '../../../kit/controls/text-field.tsx'
import { FilterForm } from '../../../kit/forms/filter-form.tsx'
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
  const first = { page: '', cursor: '' }
  return (
    <FilterForm
      key={`${text} ${fieldOf(query)}`}
      onSubmit={({ text: entered = '', field = '' }) => change({ text: entered, field, ...first })}
      submit="Search"
    >
      <TextField label="Search" name="text" type="search" isSearch defaultValue={text} />
      <SelectField label="In" name="field" defaultValue={fieldOf(query)} options={fields} />
      <SelectField
        label="State"
        value={state}
        options={states}
        onChange={(value) => change({ state: value, ...first })}
      />
      {(text !== '' || state !== '') && (
        <Button onPress={() => change({ text: '', state: '', ...first })}>All messages</Button>
      )}
    </FilterForm>
  )
}
