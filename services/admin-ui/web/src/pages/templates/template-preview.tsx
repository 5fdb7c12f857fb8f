import { useState } from 'react'
import { templateActions } from '../../data/lists/templates.ts'
import { useAction } from '../../data/use-load.ts'
import { CodeEditor } from '../../editor/code-editor.tsx'
import { Columns, Facts, PageBody, Panel } from '../../kit/content/panel.tsx'
import { Button } from '../../kit/controls/button.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import { Form } from '../../kit/forms/form.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { AppLink } from '../../routing/navigation.tsx'
import { type MessagePreview, readPreview } from './read-preview.ts'
import { RenderedHtml } from './rendered-html.tsx'
import {
  firstValues,
  previewBody,
  type TemplateDraft,
  testMailBody,
  type TrialInput,
} from './template-body.ts'

export interface TemplatePreviewProps {
  /** Id of the account that owns the template. Empty: the person chooses an account. */
  account: string
  draft: TemplateDraft
  /** Id of the stored template, for test mails. Absent: the template is not stored yet. */
  template?: string
}

/**
 * Panel that shows the message of a template with the person's values, and sends a test mail. The
 * server composes both messages.
 */
export function TemplatePreview({ account, draft, template }: TemplatePreviewProps) {
  const [input, setInput] = useState<TrialInput>(() => ({
    account,
    address: '',
    values: firstValues(draft.texts),
  }))
  const preview = useAction(async () => {
    const body = previewBody(draft, input)
    const { preview: source = '' } = await templateActions.submit({ account: input.account, body })
    return readPreview(source)
  })
  return (
    <Panel title="Preview and test mail">
      <p>The preview uses the texts above, also unsaved ones. A test mail uses the stored texts.</p>
      <Form
        isWide
        submit="Show the preview"
        isRunning={preview.isRunning}
        error={preview.error}
        onSubmit={() => preview.run(undefined)}
      >
        <TrialFields input={input} onInput={setInput} />
      </Form>
      {preview.result && <Preview preview={preview.result} />}
      {template !== undefined && <TestMail template={template} input={input} />}
    </Panel>
  )
}

interface TrialFieldsProps {
  input: TrialInput
  onInput: (input: TrialInput) => void
}

function TrialFields({ input, onInput }: TrialFieldsProps) {
  const field = (name: keyof TrialInput) => ({
    value: input[name],
    onChange: (text: string) => onInput({ ...input, [name]: text }),
  })
  return (
    <>
      <TextField label="From account" hint="Id of the account." isRequired {...field('account')} />
      <TextField label="To address" type="email" isRequired {...field('address')} />
      <CodeEditor
        label="Values"
        language="json"
        hint="Values of the placeholders params.…, as JSON."
        {...field('values')}
      />
    </>
  )
}

/** Texts of a composed message: the HTML as a mail client shows it, and the sources. */
function Preview({ preview: { subject, text, html } }: { preview: MessagePreview }) {
  return (
    <>
      <div role="status">
        <Facts rows={[['Subject', subject || 'none']]} />
      </div>
      <Columns>
        {html !== undefined && <RenderedHtml key={html} html={html} />}
        <PageBody>
          <CodeEditor label="HTML of the message" language="html" value={html ?? ''} />
          <CodeEditor label="Plain text of the message" language="text" value={text ?? ''} />
        </PageBody>
      </Columns>
    </>
  )
}

function TestMail({ template, input }: { template: string; input: TrialInput }) {
  const { account, address } = input
  const send = useAction(async () =>
    templateActions.submit({ account, body: testMailBody(template, input) }),
  )
  const isIncomplete = account === '' || address === ''
  return (
    <>
      <div>
        <Button
          onPress={() => send.run(undefined)}
          isPending={send.isRunning}
          isDisabled={isIncomplete}
        >
          Send a test mail
        </Button>
      </div>
      <p role="status">
        {send.result && (
          <>
            {send.result.response}.{' '}
            <AppLink to="/outbox" query={{ account }}>
              Open the outbox
            </AppLink>
          </>
        )}
      </p>
      {send.error && <ErrorBox error={send.error} />}
    </>
  )
}
