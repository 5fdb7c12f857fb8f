import { useState } from 'react'
import { Button } from './button.tsx'

/** Milliseconds for which a copy button shows whether the text was copied. */
const resultMs = 2_000

/**
 * Button that copies a text to the clipboard. Browsers refuse the access without HTTPS, or if the
 * person has blocked the access.
 */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [result, setResult] = useState<string>()
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setResult('Copied')
    } catch {
      setResult('Not copied: select the text')
    }
    setTimeout(() => setResult(undefined), resultMs)
  }
  return <Button onPress={() => void copy()}>{result ?? label}</Button>
}
