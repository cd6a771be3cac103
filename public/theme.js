// The chosen theme, before anything is painted: the page's own programs come later. See web/ui/parts/theme.ts.
try {
  const theme = localStorage.getItem('gsv.page.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is forbidden: the system's theme it is.
}
