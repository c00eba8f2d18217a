// Small plots: how a number went over the last minutes.

import { svg } from './build.js';

/** A plot of numbers, the latest to the right, in a frame for so many. */
export function plot(values, most, label) {
  const known = values.filter((value) => value !== null);
  const top = Math.max(...known, 1e-9) * 1.1;
  const at = (value, index) => [100 - ((values.length - 1 - index) * 100) / (most - 1), 30 - (value / top) * 28];
  const points = values.flatMap((value, index) => (value === null ? [] : [at(value, index)]));
  const text = points.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(' ');
  const picture = svg('svg', { class: 'plot', viewBox: '0 0 100 30', preserveAspectRatio: 'none', role: 'img', 'aria-label': label });
  if (points.length > 1) {
    const [first, last] = [points[0][0].toFixed(2), points[points.length - 1][0].toFixed(2)];
    picture.append(svg('polygon', { class: 'under', points: `${first},30 ${text} ${last},30` }));
    picture.append(svg('polyline', { class: 'line', points: text }));
  }
  return picture;
}
