/** Text with the line ends that an editor uses: `\n` in place of `\r\n` and `\r`. */
export function normalizeLines(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n')
}
