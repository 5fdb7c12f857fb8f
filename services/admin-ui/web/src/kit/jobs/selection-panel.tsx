import { maxJobIds } from '@posthorn/contracts/job-limits'
import { type ReactNode, type RefObject, useRef } from 'react'
import { Panel } from '../content/panel.tsx'
import { Button, ButtonRow } from '../controls/button.tsx'
import { Announcement } from '../states/announcement.tsx'
import { ErrorBox } from '../states/error-box.tsx'
import { useFocusReturn } from '../use-focus-return.ts'
import { type CountedSelection, selectionText } from './selection-text.ts'
import { isNothingMarked, type Marked, nothingMarked } from './use-marked.ts'

export interface SelectionPanelProps extends CountedSelection {
  onChange: (marked: Marked) => void
  /** False if a bulk job cannot select the entries of the list by the filters of the list. */
  canMarkAll: boolean
  /** Region of the list. The region takes the focus when the panel is removed. */
  region: RefObject<HTMLElement | null>
  /** Error of the last start of a bulk job on the selected entries. */
  error: Error | null
  /** Buttons for actions on the selected entries of a list. */
  children: ReactNode
}

/**
 * Panel with actions on the selected entries of a list. Without selected entries, nothing is
 * visible. Screen readers announce the number of selected entries.
 */
export function SelectionPanel(props: SelectionPanelProps) {
  const { marked } = props
  const isEmpty = isNothingMarked(marked)
  const title = `${marked.isAll ? 'All ' : ''}${selectionText(props)} selected`
  return (
    <>
      <Announcement text={isEmpty ? '' : title} />
      {!isEmpty && <SelectionActions title={title} {...props} />}
    </>
  )
}

/**
 * Actions on the selected entries of a list. Actions on all entries that match the filters can
 * start when the number of these entries is loaded.
 */
function SelectionActions(props: SelectionPanelProps & { title: string }) {
  const { title, marked, onChange, matching, nouns, canMarkAll, region, error, children } = props
  const heading = useRef<HTMLHeadingElement>(null)
  useFocusReturn(region)
  const isReady = !isOversized(marked) && (!marked.isAll || matching !== undefined)
  return (
    <Panel title={title} headingRef={heading}>
      {isOversized(marked) && <TooManySelected plural={nouns[1]} canMarkAll={canMarkAll} />}
      <ButtonRow>
        {isReady && children}
        {canMarkAllOf(props) && (
          <MarkAllButton
            count={props.hasMore === true ? undefined : matching}
            heading={heading}
            onPress={() => onChange({ keys: new Set(), isAll: true })}
          />
        )}
        <Button onPress={() => onChange(nothingMarked)}>Clear the selection</Button>
      </ButtonRow>
      {error && <ErrorBox error={error} />}
    </Panel>
  )
}

/** True if the number of individually selected list entries exceeds the limit of a bulk job. */
function isOversized({ keys, isAll }: Marked): boolean {
  return !isAll && keys.size > maxJobIds
}

/**
 * True if the person can select all entries that match the list's filters, in place of the entries
 * that are selected now.
 */
function canMarkAllOf({ marked, matching, canMarkAll }: SelectionPanelProps): boolean {
  if (!canMarkAll || marked.isAll || matching === undefined) return false
  return isOversized(marked) || matching > marked.keys.size
}

/**
 * Message in place of the actions on a list, if more entries are selected than a bulk job accepts.
 */
function TooManySelected({ plural, canMarkAll }: { plural: string; canMarkAll: boolean }) {
  return (
    <p role="alert">
      A job runs on at most {maxJobIds.toLocaleString('en')} {plural} that are selected one by one.
      Select fewer {plural}
      {canMarkAll && ', or all that match the filters'}.
    </p>
  )
}

interface MarkAllButtonProps {
  /**
   * Number of the entries that match the list's filters. Undefined: the list does not count all of
   * these entries.
   */
  count: number | undefined
  /** Heading of the selection panel. The heading takes the focus when the button is removed. */
  heading: RefObject<HTMLHeadingElement | null>
  onPress: () => void
}

function MarkAllButton({ count, heading, onPress }: MarkAllButtonProps) {
  useFocusReturn(heading)
  return (
    <Button onPress={onPress}>Select all {count === undefined ? '' : `${count} `}that match</Button>
  )
}

/**
 * Sentences about the entries on which a bulk job with a filter runs, for the confirmation of the
 * job. Absent without such a job.
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
