// picture.mjs: what is on the screen, as an image: the heat map and the main view, as they are drawn.
import { styleOf } from "./canvas.mjs";

const MARGIN = 8; // pixels around, and between what has other things between it on the page

const drawn = () => [...document.querySelectorAll("#map canvas, .panel canvas")]
	.map((canvas) => ({canvas, place: canvas.getBoundingClientRect()}))
	.filter(({place}) => place.width > 0 && place.height > 0);

// One below the other, in the screen's own pixels.
export function pictureOfScreen() {
	const parts = drawn(), ratio = window.devicePixelRatio || 1;
	const whole = document.createElement("canvas");
	const wide = Math.max(...parts.map(({place}) => place.width));
	whole.width = Math.ceil((wide + 2 * MARGIN) * ratio);
	whole.height = Math.ceil(parts.reduce((high, {place}) => high + place.height + MARGIN, MARGIN) * ratio);
	const context = whole.getContext("2d");
	context.fillStyle = styleOf("--page");
	context.fillRect(0, 0, whole.width, whole.height);
	let y = MARGIN * ratio;
	for (const {canvas, place} of parts) {
		context.drawImage(canvas, Math.round(MARGIN * ratio), Math.round(y));
		y += (place.height + MARGIN) * ratio;
	}
	return whole;
}

export function savePicture(name) {
	pictureOfScreen().toBlob((blob) => {
		const link = document.createElement("a");
		link.href = URL.createObjectURL(blob);
		link.download = name;
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 60000);
	});
}
