"""What a fitted classifier tells about data: doubtful labels, labels to ask for, sets of possible
labels, novel objects, typical objects.
"""
