import type { Settings } from '@posthorn/contracts'

interface Speaks {
  locale: string | null
  tz: string | null
}

/** A writer with a language and a time zone for what is quoted: their own, else those of the settings. */
export function withLanguage<T extends Speaks>(
  writer: T,
  { locale, timezone }: Pick<Settings, 'locale' | 'timezone'>,
): T {
  return {
    ...writer,
    locale: writer.locale ?? locale ?? null,
    tz: writer.tz ?? timezone ?? null,
  }
}
