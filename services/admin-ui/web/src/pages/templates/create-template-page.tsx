import { useState } from 'react'
import { templateActions, templatesKey } from '../../data/lists/templates.ts'
import { useAction } from '../../data/use-load.ts'
import { PageBody, Panel } from '../../kit/content/panel.tsx'
import { ProblemBox } from '../../kit/states/problem-box.tsx'
import { useNavigate, usePageQuery } from '../../routing/navigation.tsx'
import { type TemplateDraft, templateBody, textsOf } from './template-body.ts'
import { TemplateForm } from './template-form.tsx'
import { TemplatePreview } from './template-preview.tsx'

/** Page that creates a message template, with a preview. */
export function CreateTemplatePage() {
  const [query] = usePageQuery()
  const navigate = useNavigate()
  const [draft, setDraft] = useState(emptyDraft)
  const account = query['account'] ?? ''
  const create = useAction(
    (values: Readonly<Record<string, string>>) =>
      templateActions.create(templateBody(values, draft)),
    {
      refresh: [templatesKey],
      onDone: ({ id, created }) =>
        created && navigate({ to: '/templates/$template', params: { template: id } }),
    },
  )
  return (
    <PageBody>
      <Panel title="Template">
        <TemplateForm account={account} draft={draft} onDraft={setDraft} save={create} />
        {create.result?.created === false && (
          <ProblemBox title="Not created">
            A template with the id {create.result.id} exists already. Choose another id.
          </ProblemBox>
        )}
      </Panel>
      <TemplatePreview account={account} draft={draft} />
    </PageBody>
  )
}

const emptyDraft: TemplateDraft = { texts: textsOf({ content: {} }), format: 'html' }
