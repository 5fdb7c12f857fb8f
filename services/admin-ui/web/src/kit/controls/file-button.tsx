import { useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import { Button } from './button.tsx'
import css from './controls.module.css'

export interface FileButtonProps {
  label: string
  /** Media types and endings of file names that a file button accepts, such as `.csv`. */
  types: readonly string[]
  maxBytes: number
  /** Called with the text of the chosen file. */
  onText: (text: string) => void
}

/** Button that reads a text file of the person's device. Files above `maxBytes` are refused. */
export function FileButton({ label, types, maxBytes, onText }: FileButtonProps) {
  const [problem, setProblem] = useState('')
  const read = async (file: File | undefined) => {
    if (!file) return
    if (file.size > maxBytes) {
      setProblem(`The file has more than ${maxBytes.toLocaleString('en')} bytes.`)
      return
    }
    try {
      const text = await file.text()
      setProblem('')
      onText(text)
    } catch {
      setProblem('The browser cannot read the file. Choose the file again.')
    }
  }
  return (
    <div>
      <FileTrigger acceptedFileTypes={[...types]} onSelect={(files) => void read(files?.[0])}>
        <Button>{label}</Button>
      </FileTrigger>
      <p className={css['problem']} role="status">
        {problem}
      </p>
    </div>
  )
}
