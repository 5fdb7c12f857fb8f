import type { ReactNode } from 'react'
import { Panel } from '../content/panel.tsx'
import { Button, ButtonRow } from '../controls/button.tsx'
import { type CountedSelection, selectionText } from './selection-text.ts'
import type { Marked } from './use-marked.ts'

export interface SelectionPanelProps extends CountedSelection {
  onChange: (marked: Marked) => void
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
  const { marked, onChange, matching, hasMore, canMarkAll, children } = props
  if (marked.keys.size === 0 && !marked.isAll) return null
  return (
    <Panel title={`${marked.isAll ? 'All ' : ''}${selectionText(props)} selected`}>
      <ButtonRow>
        {(!marked.isAll || matching !== undefined) && children}
        {canMarkAll && !marked.isAll && matching !== undefined && matching > marked.keys.size && (
          <Button onPress={() => onChange({ keys: new Set(), isAll: true })}>
            Select all {hasMore === true ? '' : `${matching} `}that match
          </Button>
        )}
        <Button onPress={() => onChange({ keys: new Set(), isAll: false })}>
          Clear the selection
        </Button>
      </ButtonRow>
    </Panel>
  )
}

/**
 * Sentences about the entries on which a job by filter runs, for its confirmation. Absent without
 * such a job.
 */
export function JobExtent(counted: CountedSelection) {
  const [, plural] = counted.nouns
  if (!counted.marked.isAll) return null
  return (
    <p>
      The job selects the {plural} that match the filters when the job starts, now{' '}
      {selectionText(counted)}. Selected {plural} that stop matching are skipped.
      {counted.hasMore !== true && ' If more match when the job starts, the job does nothing.'}
    </p>
  )
}
