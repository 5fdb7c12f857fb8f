import { CodeEditor } from '../../editor/code-editor.tsx'
import { Columns } from '../../kit/content/panel.tsx'
import { TextField } from '../../kit/controls/text-field.tsx'
import type { TemplateDraft, TemplateTexts } from './template-body.ts'

export interface TemplateEditorsProps {
  draft: TemplateDraft
  onTexts: (texts: TemplateTexts) => void
}

/** Fields and editors for the subject and the texts of a template. */
export function TemplateEditors({ draft: { texts, format }, onTexts }: TemplateEditorsProps) {
  const field = (name: keyof TemplateTexts) => ({
    value: texts[name],
    onChange: (text: string) => onTexts({ ...texts, [name]: text }),
  })
  return (
    <>
      <TextField
        label="Subject"
        hint="Placeholders such as {{params.name}} are filled in."
        {...field('subject')}
      />
      <TextField
        label="Preview text"
        hint="Mail clients show the preview text in message lists."
        {...field('previewText')}
      />
      <Columns>
        <CodeEditor label="Plain text" language="text" {...field('text')} />
        <CodeEditor
          label={format === 'html' ? 'HTML' : 'Markdown'}
          language={format === 'html' ? 'html' : 'text'}
          {...field('html')}
        />
      </Columns>
    </>
  )
}
