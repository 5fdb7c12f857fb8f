import { useState } from 'react'
import {
  templateActions,
  type TemplateRecord,
  templatesKey,
  useTemplate,
} from '../../data/lists/templates.ts'
import { useRights } from '../../data/session.ts'
import { useAction } from '../../data/use-load.ts'
import { CodeEditor } from '../../editor/code-editor.tsx'
import { Columns, Facts, PageBody, Panel } from '../../kit/content/panel.tsx'
import { Time } from '../../kit/content/time.tsx'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'
import { Loaded } from '../../kit/states/loaded.tsx'
import { useNavigate, usePathParameter } from '../../routing/navigation.tsx'
import { type TemplateDraft, templateBody, textsOf } from './template-body.ts'
import { TemplateForm } from './template-form.tsx'
import { TemplatePreview } from './template-preview.tsx'

/** Page of one template: texts, preview, and a test mail. */
export function TemplatePage() {
  const id = usePathParameter('template')
  // The React key separates templates: texts of one message template never show on the page of
  // another.
  return <TemplateDetails key={id} id={id} />
}

function TemplateDetails({ id }: { id: string }) {
  const load = useTemplate(id)
  const may = useRights()
  return (
    <PageBody>
      <Loaded load={load} lines={10}>
        {(template) => (
          <PageBody>
            <TemplateFacts template={template} />
            {may('changeTemplates') ? (
              <ChangeTemplate template={template} />
            ) : (
              <ShowTemplate template={template} />
            )}
          </PageBody>
        )}
      </Loaded>
    </PageBody>
  )
}

function TemplateFacts({ template }: { template: TemplateRecord }) {
  const { id, account, name, description, created, updated } = template
  return (
    <Panel title={name}>
      <Facts
        rows={[
          ['Id', <code key="id">{id}</code>],
          ['Account', account ?? 'all accounts'],
          ['Description', description],
          ['Created', <Time key="created" value={created} />],
          ['Changed', <Time key="updated" value={updated} />],
        ]}
      />
    </Panel>
  )
}

function ChangeTemplate({ template }: { template: TemplateRecord }) {
  const { id, account } = template
  const [draft, setDraft] = useState<TemplateDraft>(() => ({
    texts: textsOf(template),
    format: template.format,
  }))
  const update = useAction(
    (values: Readonly<Record<string, string>>) => {
      const { id: _id, account: _account, ...body } = templateBody(values, draft)
      return templateActions.update({ id, body })
    },
    { refresh: [templatesKey] },
  )
  return (
    <>
      <Panel title="Template" tools={<DeleteButton template={template} />}>
        <TemplateForm
          template={template}
          draft={draft}
          onDraft={setDraft}
          save={update}
          done={update.isDone ? 'The template is saved.' : ''}
        />
      </Panel>
      <TemplatePreview account={account ?? ''} draft={draft} template={id} />
    </>
  )
}

function ShowTemplate({ template }: { template: TemplateRecord }) {
  const { subject, previewText, text, html } = textsOf(template)
  const isHtml = template.format === 'html'
  return (
    <Panel title="Texts">
      <Facts
        rows={[
          ['Subject', subject],
          ['Preview text', previewText],
        ]}
      />
      <Columns>
        <CodeEditor label="Plain text" language="text" value={text} />
        <CodeEditor
          label={isHtml ? 'HTML' : 'Markdown'}
          language={isHtml ? 'html' : 'text'}
          value={html}
        />
      </Columns>
    </Panel>
  )
}

function DeleteButton({ template: { id, name } }: { template: TemplateRecord }) {
  const navigate = useNavigate()
  const remove = useAction(templateActions.remove, {
    refresh: [[...templatesKey, 'list']],
    onDone: () => navigate({ to: '/templates', replace: true }),
  })
  return (
    <>
      <ConfirmButton
        action="Delete the template"
        question={<p>Submissions that name the template {name} fail afterwards.</p>}
        onConfirm={() => remove.run(id)}
        isPending={remove.isRunning}
      />
      {remove.error && <ErrorBox error={remove.error} />}
    </>
  )
}
