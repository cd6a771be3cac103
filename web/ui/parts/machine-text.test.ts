import { describe, expect, test } from 'vitest';
import { showHidden, tameProse, terminalText } from './machine-text.ts';

describe('text that could deceive', () => {
  test('[U22] bidirectional, invisible and control characters of commands are shown by number', () => {
    expect(showHidden('rm \u202Ex\u202C')).toBe('rm ⟦U+202E⟧x⟦U+202C⟧');
    expect(showHidden('a\u200Bb\u2066c\uFEFFd')).toBe('a⟦U+200B⟧b⟦U+2066⟧c⟦U+FEFF⟧d');
    expect(showHidden('x\u{e0041}')).toBe('x⟦U+E0041⟧');
    expect(showHidden('a\u0000b\u001bc')).toBe('a⟦U+0000⟧b⟦U+001B⟧c');
    expect(showHidden('tab\tline\nend – “é” 日本 שלום')).toBe('tab\tline\nend – “é” 日本 שלום');
  });

  test('[U22] prose keeps the marks that right-to-left text needs, and loses the power to reorder', () => {
    expect(tameProse('שלום\u200F a')).toBe('שלום\u200F a');
    expect(tameProse('gpj\u202Eexe')).toBe('gpj⟦U+202E⟧exe');
  });

  test('[U23] terminal output is shown as a terminal shows it in the end', () => {
    expect(terminalText('\u001b[31mred\u001b[0m \u001b]0;title\u0007ok')).toBe('red ok');
    expect(terminalText('10 %\r50 %\r100 %\ndone\r\n')).toBe('100 %\ndone\n');
  });
});
