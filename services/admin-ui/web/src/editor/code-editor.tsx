import { lazy, Suspense, useId } from 'react'
import type { Complete } from './completion.ts'
import type { EditorLanguage } from './create-editor.ts'
import css from './editor.module.css'

const EditorSurface = lazy(async () => ({
  default: (await import('./editor-surface.tsx')).EditorSurface,
}))

export interface CodeEditorProps {
  label: string
  language: EditorLanguage
  value: string
  /**
   * Called with the text of the editor after each change by the person. Absent: the text cannot be
   * changed.
   */
  onChange?: (value: string) => void
  hint?: string
  /**
   * Finds names that complete the text of the editor. Must be the same function in each rendering:
   * another function creates the editor again, without the cursor and the history.
   */
  complete?: Complete
}

/**
 * Field for source text, with colors and line numbers. Its script is loaded when the field is first
 * shown.
 */
export function CodeEditor({ label, hint, onChange, ...rest }: CodeEditorProps) {
  const id = useId()
  const description = [hint, onChange && rest.complete && completeHint, onChange && leaveHint]
    .filter(Boolean)
    .join(' ')
  return (
    <div className={css['field']}>
      <span id={`${id}-label`} className={css['label']}>
        {label}
      </span>
      <Suspense fallback={<div className={css['waiting']} role="status" aria-label="Loading" />}>
        <EditorSurface
          {...rest}
          {...(onChange && { onChange })}
          labelledBy={`${id}-label`}
          describedBy={`${id}-hint`}
        />
      </Suspense>
      <span id={`${id}-hint`} className={css['hint']}>
        {description}
      </span>
    </div>
  )
}

/** Hint about the keys with which an editor shows names for the text before the cursor. */
const completeHint = 'Press Ctrl and Space for names that complete the text.'
/** Hint about the keys with which a person leaves an editor. */
const leaveHint = 'After a change, Tab indents. Press Escape, then Tab, to leave the editor.'
