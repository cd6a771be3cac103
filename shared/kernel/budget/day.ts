/** The day of a moment, `YYYY-MM-DD`, in an IANA time zone; an unknown zone counts as UTC. */
export function dayOf(time: number, timezone: string): string {
  try {
    return format(timezone).format(time);
  } catch {
    return format('UTC').format(time);
  }
}

/** Making one costs a hundred times what using it does. */
let known: { timezone: string; format: Intl.DateTimeFormat } | null = null;

function format(timeZone: string): Intl.DateTimeFormat {
  if (known?.timezone === timeZone) return known.format;
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  // Swedish writes dates as ISO 8601 does.
  known = { timezone: timeZone, format: new Intl.DateTimeFormat('sv', { timeZone, ...parts }) };
  return known.format;
}
