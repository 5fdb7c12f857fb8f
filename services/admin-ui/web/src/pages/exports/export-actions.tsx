import { exportActions, type ExportEntry, exportsKey } from '../../data/lists/exports.ts'
import { useRights, useSignedIn } from '../../data/session.ts'
import { useAction } from '../../data/use-load.ts'
import { Button, ButtonRow } from '../../kit/controls/button.tsx'
import { ConfirmButton } from '../../kit/overlays/confirm-button.tsx'
import { ErrorBox } from '../../kit/states/error-box.tsx'

/**
 * Buttons for the actions on an export. Only people who may read mail can download the file: the
 * server asks for a reason.
 */
export function ExportActions({ entry }: { entry: ExportEntry }) {
  const may = useRights()
  const { mayReadMail } = useSignedIn().person
  const end = useAction(exportActions.end, { refresh: [exportsKey] })
  const download = useAction(exportActions.download)
  const isOpen = entry.status === 'queued' || entry.status === 'processing'
  const isReady = entry.status === 'completed'
  const mayDownload = isReady && mayReadMail
  if (!mayDownload && !may('changeExports')) return '–'
  return (
    <ButtonRow>
      {mayDownload && (
        <Button onPress={() => download.run(entry)} isPending={download.isRunning}>
          Download
        </Button>
      )}
      {may('changeExports') && (
        <ConfirmButton
          action={isOpen ? 'Cancel the export' : 'Delete'}
          question={
            <p>
              {isOpen ? 'The export ends without a file.' : 'The export and its file are deleted.'}
            </p>
          }
          onConfirm={() => end.run(entry)}
          isPending={end.isRunning}
        />
      )}
      {end.error && <ErrorBox error={end.error} />}
      {download.error && <ErrorBox error={download.error} />}
    </ButtonRow>
  )
}
