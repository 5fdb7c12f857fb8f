import { exportActions, exportsKey } from '../../data/lists/exports.ts'
import { useAction } from '../../data/use-load.ts'
import { CheckBox } from '../../kit/controls/check-box.tsx'
import { SelectField } from '../../kit/controls/select-field.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { Form } from '../../kit/forms/form.tsx'
import { exportBody } from './export-texts.ts'

/** Form that creates an export of an account's messages. */
export function NewExportForm() {
  const create = useAction(
    ({ account = '', ...values }: Readonly<Record<string, string>>) =>
      exportActions.create({ account, body: exportBody(values) }),
    { refresh: [exportsKey] },
  )
  return (
    <>
      <Form
        submit="Create the export"
        isRunning={create.isRunning}
        error={create.error}
        onSubmit={(values) => create.run(values)}
      >
        <TextField label="Account id" name="account" isRequired />
        <TextField label="Received from" name="startDate" type="datetime-local" isRequired />
        <TextField label="Received before" name="endDate" type="datetime-local" isRequired />
        <TextField
          label="Mailboxes (optional)"
          name="folders"
          isMultiline
          hint="One path or special use such as \Sent per line. Empty: all except junk and trash."
        />
        <SelectField label="Texts" name="textType" defaultValue="*" options={textTypes} />
        <CheckBox name="includeAttachments">With the contents of attachments</CheckBox>
      </Form>
      <p role="status">{create.result && `The export ${create.result.exportId} is queued.`}</p>
    </>
  )
}

const textTypes = [
  { value: '*', label: 'plain text and HTML' },
  { value: 'plain', label: 'plain text' },
  { value: 'html', label: 'HTML' },
]
