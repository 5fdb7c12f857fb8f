import { useId } from 'react'
import css from './controls.module.css'

export interface SelectFieldProps<K extends string> {
  label: string
  name?: string
  value?: K
  defaultValue?: K
  onChange?: (value: K) => void
  options: readonly { value: K; label: string }[]
  hint?: string
}

/**
 * Field for one of several choices. The browser's own list of choices works best on phones and
 * needs no script.
 */
export function SelectField<K extends string>(props: SelectFieldProps<K>) {
  const { label, options, onChange, hint, ...rest } = props
  const id = useId()
  return (
    <div className={css['field']}>
      <label className={css['label']} htmlFor={id}>
        {label}
      </label>
      <select
        id={id}
        className={css['input']}
        {...rest}
        {...(hint !== undefined && { 'aria-describedby': `${id}-hint` })}
        {...(onChange && { onChange: ({ target }) => onChange(target.value as K) })}
      >
        {options.map(({ value, label: text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <span id={`${id}-hint`} className={css['hint']}>
          {hint}
        </span>
      )}
    </div>
  )
}
