import { useState } from 'react'
import { Button } from './button.tsx'

/** Milliseconds for which the button confirms that the text was copied. */
const confirmMs = 2_000

/** Button that copies a text to the clipboard. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), confirmMs)
  }
  return <Button onPress={() => void copy()}>{isCopied ? 'Copied' : label}</Button>
}
