import { HighlightStyle } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** Appearance of an editor. All colors are tokens, which have a light and a dark value. */
export const editorTheme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'transparent', fontSize: 'var(--small)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', minHeight: '100%' },
  '.cm-line': { overflowWrap: 'anywhere' },
  '.cm-gutters': {
    color: 'var(--muted)',
    backgroundColor: 'var(--page)',
    borderRight: '1px solid var(--line)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--chosen)' },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--bad-back)' },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius)',
    boxShadow: 'var(--shadow)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxWidth: '90vw' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    color: 'var(--text)',
    backgroundColor: 'var(--chosen)',
  },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal' },
  '.cm-completionMatchedText': { fontWeight: '600', textDecoration: 'none' },
})

/** Colors of the syntax elements of a source text in an editor. */
export const codeColors = HighlightStyle.define([
  { tag: [tags.keyword, tags.tagName], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null, tags.attributeName], color: 'var(--warn)' },
  { tag: [tags.comment, tags.meta], color: 'var(--muted)' },
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.invalid, color: 'var(--bad)' },
])
