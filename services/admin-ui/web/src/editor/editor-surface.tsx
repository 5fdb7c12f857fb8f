import { useEffect, useRef } from 'react'
import type { Complete } from './completion.ts'
import { createEditor, type EditorLanguage, type TextEditor } from './create-editor.ts'
import css from './editor.module.css'

export interface EditorSurfaceProps {
  language: EditorLanguage
  value: string
  onChange?: (value: string) => void
  complete?: Complete
  /** Id of the element with the label of the editor. */
  labelledBy: string
  /** Id of the element with the hint of the editor. */
  describedBy: string
}

/** Surface of an editor: the element in which CodeMirror shows the text. */
export function EditorSurface(props: EditorSurfaceProps) {
  const { language, value, onChange, complete, labelledBy, describedBy } = props
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<TextEditor>(undefined)
  const change = useRef(onChange)
  change.current = onChange
  const isReadOnly = onChange === undefined
  useEffect(() => {
    if (!host.current) return undefined
    const created = createEditor(host.current, {
      language,
      value,
      labelledBy,
      describedBy,
      ...(!isReadOnly && { onChange: (text: string) => change.current?.(text) }),
      ...(complete && { complete }),
    })
    editor.current = created
    return () => created.destroy()
    // The second effect handles changed texts, so that the editor keeps its cursor and its history.
  }, [language, isReadOnly, complete, labelledBy, describedBy])
  useEffect(() => editor.current?.setText(value), [value])
  return <div ref={host} className={css['surface']} />
}
