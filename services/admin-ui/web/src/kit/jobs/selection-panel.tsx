import type { ReactNode } from 'react'
import { Panel } from '../content/panel.tsx'
import { Button, ButtonRow } from '../controls/button.tsx'
import type { Marked } from './use-marked.ts'

export interface SelectionPanelProps {
  marked: Marked
  onChange: (marked: Marked) => void
  /** Number of the entries that match the filters of the list. Undefined: not loaded yet. */
  matching: number | undefined
  /** Names of an entry and of several entries. */
  nouns: readonly [noun: string, plural: string]
  /** False if a job cannot select the entries of the list by its filters. */
  canMarkAll: boolean
  /** Buttons for actions on the selected entries. */
  children: ReactNode
}

/**
 * Panel with actions on the selected entries of a list. Absent without selected entries. Actions on
 * all matching entries can start when the number of these entries is loaded.
 */
export function SelectionPanel(props: SelectionPanelProps) {
  const { marked, onChange, matching, nouns, canMarkAll, children } = props
  if (marked.keys.size === 0 && !marked.isAll) return null
  return (
    <Panel title={`${marked.isAll ? 'All ' : ''}${countText(marked, matching, nouns)} selected`}>
      <ButtonRow>
        {(!marked.isAll || matching !== undefined) && children}
        {canMarkAll && !marked.isAll && matching !== undefined && matching > marked.keys.size && (
          <Button onPress={() => onChange({ keys: new Set(), isAll: true })}>
            Select all {matching} that match
          </Button>
        )}
        <Button onPress={() => onChange({ keys: new Set(), isAll: false })}>
          Clear the selection
        </Button>
      </ButtonRow>
    </Panel>
  )
}

/** Number of the selected entries with their name. The name only, if the number is not loaded. */
export function countText(
  { keys, isAll }: Marked,
  matching: number | undefined,
  [noun, plural]: readonly [noun: string, plural: string],
): string {
  const count = isAll ? matching : keys.size
  if (count === undefined) return plural
  return `${count} ${count === 1 ? noun : plural}`
}

/**
 * Sentences about the entries on which a job by filter runs, for its confirmation. Absent without
 * such a job.
 */
export function JobExtent(props: Pick<SelectionPanelProps, 'marked' | 'matching' | 'nouns'>) {
  const { marked, matching, nouns } = props
  const [, plural] = nouns
  if (!marked.isAll) return null
  return (
    <p>
      The job selects the {plural} that match the filters when the job starts, now{' '}
      {countText(marked, matching, nouns)}. Selected {plural} that stop matching are skipped. If
      more match when the job starts, the job does nothing.
    </p>
  )
}
