import { describeError } from '../../data/load-state.ts'
import { classNames } from '../class-names.ts'
import { Button } from '../controls/button.tsx'
import css from './states.module.css'

export interface ErrorBoxProps {
  error: unknown
  /** Repeats the failed call to the server. Absent: the box has no button. */
  retry?: () => void
  isRetrying?: boolean
}

/** Error of a call to the server: message, code, request id, and a button that repeats the call. */
export function ErrorBox({ error, retry, isRetrying = false }: ErrorBoxProps) {
  const { title, message, code, requestId } = describeError(error)
  const details = [
    ...(code === undefined ? [] : [`Code ${code}`]),
    ...(requestId === undefined ? [] : [`Request ${requestId}`]),
  ]
  return (
    <div className={classNames(css['box'], css['error'])} role="alert">
      <strong>{title}</strong>
      <p>{message}</p>
      {details.length > 0 && <p className={css['details']}>{details.join(' · ')}</p>}
      {retry && (
        <Button onPress={retry} isPending={isRetrying}>
          Try again
        </Button>
      )}
    </div>
  )
}
