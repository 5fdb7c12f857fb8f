import {
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
  TextField as AriaTextField,
} from 'react-aria-components'
import { classNames } from '../class-names.ts'
import css from './controls.module.css'

export interface TextFieldProps {
  label: string
  name?: string
  value?: string
  defaultValue?: string
  onChange?: (value: string) => void
  type?: 'text' | 'email' | 'password' | 'search' | 'number' | 'datetime-local' | 'url'
  hint?: string
  /**
   * Problem of the text field's current value, which is shown immediately. Absent: the value is
   * correct.
   */
  problem?: string
  isRequired?: boolean
  /** Finds the problem of a text field's value. Null: the value is correct. */
  validate?: (value: string) => string | null
  minLength?: number
  autoComplete?: string
  inputMode?: 'numeric' | 'text'
  autoFocus?: boolean
  isMultiline?: boolean
  /** True for the text field to which the key `/` moves the focus. */
  isSearch?: boolean
}

/** Field for a text, with a label, a hint, and the browser's message about a wrong value. */
export function TextField(props: TextFieldProps) {
  const { label, hint, problem, isMultiline, isSearch, ...rest } = props
  return (
    <AriaTextField
      className={css['field'] ?? ''}
      {...rest}
      {...(problem !== undefined && { isInvalid: true })}
    >
      <Label className={css['label'] ?? ''}>{label}</Label>
      {isMultiline === true ? (
        <TextArea className={classNames(css['input'], css['area'])} spellCheck={false} />
      ) : (
        <Input
          className={css['input'] ?? ''}
          {...(isSearch === true && { 'data-page-search': '' })}
        />
      )}
      {hint !== undefined && (
        <Text slot="description" className={css['hint'] ?? ''}>
          {hint}
        </Text>
      )}
      <FieldError className={css['problem'] ?? ''}>{problem}</FieldError>
    </AriaTextField>
  )
}
