/** A decoder for the label, or undefined for one that nobody knows. */
function decoderFor(label: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(label)
  } catch {
    return undefined
  }
}

/** Mail that says nothing, or says ASCII and means anything: UTF-8 if it reads as UTF-8, else what Windows writes. */
function guess(content: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    return new TextDecoder('windows-1252').decode(content)
  }
}

/**
 * The text of bytes in a charset as mail names it. Never throws: an unknown charset is guessed, and a byte that has no meaning in
 * the charset becomes U+FFFD.
 */
export function decodeText(content: Uint8Array, charset?: string): string {
  const label =
    charset
      ?.trim()
      .replace(/^["']|["']$/g, '')
      .toLowerCase() ?? ''
  if (label === '' || /^(?:us-)?ascii$|^ansi_x3|^unknown|^x-unknown|^default$/.test(label))
    return guess(content)
  // RFC 2231 §5 lets a charset carry a language: `iso-8859-1*en`.
  const decoder = decoderFor(aliases[label] ?? label.replace(/\*.*$/, ''))
  return decoder ? decoder.decode(content) : guess(content)
}

/** Names that mail uses and the Encoding Standard does not list. */
const aliases: Record<string, string> = {
  utf8mb4: 'utf-8',
  cp932: 'shift_jis',
  'cp-850': 'windows-1252',
  cp936: 'gbk',
  cp949: 'euc-kr',
  cp950: 'big5',
  'iso-2022-jp-1': 'iso-2022-jp',
  'iso-2022-jp-2': 'iso-2022-jp',
  'iso-2022-jp-ms': 'iso-2022-jp',
  'gb18030-2000': 'gb18030',
  'x-gbk': 'gbk',
}
