import { closeCompletion } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { autoCloseTags, htmlLanguage } from '@codemirror/lang-html'
import { javascriptLanguage } from '@codemirror/lang-javascript'
import { json } from '@codemirror/lang-json'
import { bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { Annotation, EditorState, type Extension, Prec } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { type Complete, completion } from './completion.ts'
import { codeColors, editorTheme } from './editor-theme.ts'
import { normalizeLines } from './normalize-lines.ts'

/** Language whose syntax an editor colors. */
export type EditorLanguage = 'javascript' | 'json' | 'html' | 'text'

// The functions `html()` and `javascript()` of CodeMirror would also add names of elements,
// properties and snippets, which the editors do not offer.
const languages: Readonly<Record<EditorLanguage, () => Extension>> = {
  javascript: () => javascriptLanguage,
  json: () => json(),
  html: () => [htmlLanguage, autoCloseTags],
  text: () => [],
}

/** Text and behaviour of an editor, and the ids of the elements that name and describe it. */
export interface EditorOptions {
  language: EditorLanguage
  value: string
  /**
   * Called with the text of the editor after each change by the person. Absent: the text cannot be
   * changed.
   */
  onChange?: (value: string) => void
  /** Finds names that complete the text of the editor. Absent: the editor offers none. */
  complete?: Complete
  labelledBy: string
  describedBy: string
}

/** Editor for source text on an administration page. */
export interface TextEditor {
  /** Replaces the text of the editor. An equal text leaves the editor unchanged. */
  setText: (text: string) => void
  destroy: () => void
}

/**
 * Creates an editor in an element. Tab moves through the page, also through editors, until the
 * person changes the text or clicks into it: Tab then indents the line. Escape gives Tab its first
 * meaning back, so that people without a mouse are not caught in the editor (WCAG 2.1.2).
 */
export function createEditor(parent: HTMLElement, options: EditorOptions): TextEditor {
  const { language, value, onChange, complete, labelledBy, describedBy } = options
  const view = new EditorView({
    parent,
    doc: value,
    extensions: [
      EditorView.cspNonce.of(pageNonce()),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({
        'aria-labelledby': labelledBy,
        'aria-describedby': describedBy,
        tabindex: '0',
        ...(!onChange && { 'aria-readonly': 'true' }),
      }),
      editorTheme,
      syntaxHighlighting(codeColors),
      lineNumbers(),
      languages[language](),
      onChange ? editing(onChange) : EditorState.readOnly.of(true),
      onChange && complete ? completion(complete) : [],
    ],
  })
  return { setText: (text) => replaceText(view, text), destroy: () => view.destroy() }
}

function editing(onChange: (value: string) => void): Extension {
  return [
    history(),
    bracketMatching(),
    indentOnInput(),
    Prec.highest(keymap.of([leaveByTab])),
    keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
    EditorView.domEventHandlers({
      focus: (_event, view) => view.setTabFocusMode(true),
      click: (_event, view) => view.setTabFocusMode(false),
    }),
    EditorView.updateListener.of(({ docChanged, state, transactions, view }) => {
      if (!docChanged || transactions.some((each) => each.annotation(isByPage))) return
      view.setTabFocusMode(false)
      onChange(state.doc.toString())
    }),
  ]
}

const leaveByTab = {
  key: 'Escape',
  run: (view: EditorView) => {
    closeCompletion(view)
    view.setTabFocusMode(true)
    return true
  },
}

/** Mark of a change to an editor's text that the page has made, not the person. */
const isByPage = Annotation.define<boolean>()

function replaceText(view: EditorView, text: string): void {
  const { doc } = view.state
  if (doc.toString() === normalizeLines(text)) return
  const changes = { from: 0, to: doc.length, insert: text }
  view.dispatch({ changes, annotations: isByPage.of(true) })
}

/** Nonce of the page, with which the policy of the page permits the styles of the editor. */
function pageNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
}
