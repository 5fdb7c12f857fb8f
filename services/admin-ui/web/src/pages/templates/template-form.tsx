import type { TemplateRecord } from '../../data/lists/templates.ts'
import type { Action } from '../../data/use-load.ts'
import { SelectField } from '../../kit/controls/select-field.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { Form } from '../../kit/forms/form.tsx'
import type { TemplateDraft } from './template-body.ts'
import { TemplateEditors } from './template-editors.tsx'

export interface TemplateFormProps {
  /** Template to change. Absent: the form is for a new template. */
  template?: TemplateRecord
  /** Id of the account that owns a new template. */
  account?: string
  draft: TemplateDraft
  onDraft: (draft: TemplateDraft) => void
  save: Pick<Action<Readonly<Record<string, string>>, unknown>, 'run' | 'isRunning' | 'error'>
  /** Text that the form for a message template shows after a successful change. */
  done?: string
}

/** Form for a message template with its texts. */
export function TemplateForm(props: TemplateFormProps) {
  const { template, account = '', draft, onDraft, save, done = '' } = props
  return (
    <Form
      isWide
      submit={template ? 'Save' : 'Create the template'}
      isRunning={save.isRunning}
      error={save.error}
      onSubmit={save.run}
      buttons={<span role="status">{done}</span>}
    >
      <TextField label="Name" name="name" isRequired defaultValue={template?.name ?? ''} />
      {!template && (
        <>
          <TextField label="Id" name="id" hint="Empty: an id is generated." />
          <TextField
            label="Account id"
            name="account"
            defaultValue={account}
            hint="Empty: all accounts can use the template."
          />
        </>
      )}
      <TextField
        label="Description"
        name="description"
        defaultValue={template?.description ?? ''}
      />
      <SelectField
        label="Format of the HTML"
        options={formats}
        value={draft.format}
        onChange={(format) => onDraft({ ...draft, format })}
      />
      <TemplateEditors draft={draft} onTexts={(texts) => onDraft({ ...draft, texts })} />
    </Form>
  )
}

const formats = [
  { value: 'html', label: 'HTML' },
  { value: 'markdown', label: 'Markdown, converted to HTML' },
] as const
