import { autocompletion, type CompletionContext } from '@codemirror/autocomplete'
import { ensureSyntaxTree, syntaxTree } from '@codemirror/language'
import type { Extension } from '@codemirror/state'

/** Position in a source text at which names can complete the text. */
export interface CompletionPlace {
  source: string
  /** Source text before the cursor of an editor. */
  before: string
  /** True if the cursor is in the literal of a string. */
  isInString: boolean
  /** True if the person requests names by Ctrl and Space. False while the person types. */
  isRequested: boolean
}

/** Name that an editor offers to complete a source text. */
export interface CompletionName {
  name: string
  /** Type of the value for which the name stands, shown after the name. */
  type?: string
  /** Further text about the name, shown beside the chosen name. */
  info?: string
}

/** Names that an editor offers in place of the word before the cursor. */
export interface CompletionList {
  /** Number of characters before the editor's cursor that an offered name replaces. */
  typedLength: number
  names: readonly CompletionName[]
}

/** Finds names for a position in a source text. Undefined if no name fits. */
export type Complete = (place: CompletionPlace) => CompletionList | undefined

/** Syntax nodes in which an editor offers no names: comments, and literals without code. */
const withoutCode = new Set(['LineComment', 'BlockComment', 'TemplateString', 'RegExp'])

/**
 * Maximum time that the editor spends on parsing before the editor offers names. Longer pauses
 * would be noticed while a person types.
 */
const maxParseMs = 100

/** Extension of an editor that offers names while the person types, and after Ctrl and Space. */
export function completion(complete: Complete): Extension {
  const find = ({ state, pos, explicit }: CompletionContext) => {
    // On a slow device, the text before the cursor may not be parsed yet.
    const tree = ensureSyntaxTree(state, pos, maxParseMs) ?? syntaxTree(state)
    const node = tree.resolveInner(pos, -1).name
    if (withoutCode.has(node)) return null
    const result = complete({
      source: state.doc.toString(),
      before: state.sliceDoc(0, pos),
      isInString: node === 'String',
      isRequested: explicit,
    })
    if (!result) return null
    const options = result.names.map(({ name, type, info }) => ({
      label: name,
      ...(type !== undefined && { detail: type }),
      ...(info !== undefined && { info }),
    }))
    // The list of offered names stays valid while the person continues the word.
    return { from: pos - result.typedLength, options, validFor: /^[\w$]*$/ }
  }
  return autocompletion({ override: [find], icons: false })
}
